"""30 million kernels of a replayed graph: nothing lost or invalid, and memory stands still. (parcagpu#23)"""
import re
import threading
import time

import reports

KERNELS = 30_000_000
# name, environment, kernels
RUNS = (
    ("soak", {}, KERNELS),
    ("soak, small pool", {"GAPSCOPE_BUFFER_LIMIT": "8MiB"}, KERNELS // 3),
)
# Pools and queues grow to the largest burst so far, each to its limit: a few buffers more may come late.
# A leak of one byte a kernel would be 15 MB in the second half.
MOST_HOST_BYTES = 12 << 20
MOST_DEVICE_BYTES = 4 << 20


def run(context):
    for name, environment, kernels in RUNS:
        context.each(name, soak, environment, kernels)


class MemoryWatch:
    """Resident memory of the child that runs soak, ten times a second."""

    def __init__(self, context):
        self.context, self.points, self.stopped = context, [], False
        self.thread = threading.Thread(target=self.watch, daemon=True)
        self.thread.start()

    def watch(self):
        while not self.stopped:
            try:
                with open(f"/proc/{self.context.child_pid}/status", encoding="utf-8") as file:
                    match = re.search(r"VmRSS:\s+(\d+) kB", file.read())
            except OSError:
                match = None
            if match:
                self.points.append((time.monotonic(), int(match[1]) * 1024))
            time.sleep(0.1)

    def stop(self):
        self.stopped = True
        self.thread.join()
        return self.points


def soak(context, name, environment, kernels):
    argv = [context.built("soak"), "--kernels", str(kernels)]
    watch = MemoryWatch(context)
    child, report = context.profile(name, argv, 300, **environment)
    points = watch.stop()
    context.equal(f"{name}: exit code", child.ending, "exit 0")
    whole = not environment  # what a small pool loses is counted, and nothing is ever invalid
    if not reports.check_sound(context, name, report, quality_matters=whole):
        return
    records = report["records"]
    counted = reports.kernel_count(report, "soak_kernel")
    lost = 0 if whole else records["dropped_cupti"]
    # CUPTI's own records of overhead, two a buffer, are among what a small pool drops: a buffer that is
    # thrown away holds 300 records.
    context.check(f"{name}: kernels", kernels <= counted + lost <= kernels * (1.0 if whole else 1.007),
                  f"{counted} + {lost} dropped", kernels, f"{child.wall_s:.1f} s")
    context.equal(f"{name}: invalid", records["invalid"], 0)
    flat(context, name, points, report["self"]["buffer_bytes"])
    grown = re.search(r"device memory grew by (-?\d+) bytes", child.stderr)
    context.check(f"{name}: device memory", grown and int(grown[1]) <= MOST_DEVICE_BYTES,
                  f"{grown[1] if grown else '?'} bytes more at the end", f"at most {MOST_DEVICE_BYTES} more",
                  "than after the first tenth")


def flat(context, name, points, buffer_bytes):
    if len(points) < 20:
        context.check(f"{name}: host memory", False, f"{len(points)} points", "20 at least")
        return
    # The last tenth is the exit.
    begin, end = points[0][0], points[-1][0]
    at = [min(points, key=lambda p: abs(p[0] - begin - f * (end - begin)))[1] for f in (0.1, 0.25, 0.45, 0.65, 0.9)]
    context.check(f"{name}: host memory", at[4] - at[2] <= MOST_HOST_BYTES,
                  f"{(at[4] - at[2]) / 2**20:+.1f} MiB in the second half",
                  f"at most {MOST_HOST_BYTES >> 20}",
                  "MiB over the run: " + ", ".join(f"{x / 2**20:.1f}" for x in at)
                  + f"; buffers {buffer_bytes / 2**20:.0f} at the end")
