#pragma once

// Launches count empty kernels on the default stream and waits for them.
void launch_counted_kernels(long count);
