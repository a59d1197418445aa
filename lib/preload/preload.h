// How libgapscope.so tells libgapscope_preload.so that there is a session to end.
#pragma once

// A function that ends the session within bounded time, whatever the caller is in the middle of.
using gapscope_preload_end_fn = void(int exit_status);

// Exported by libgapscope_preload.so as gapscope_preload_register. Belongs to the calling process:
// its children, those of vfork included, end as they would without it.
using gapscope_preload_register_fn = void(gapscope_preload_end_fn* end);
