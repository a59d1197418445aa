"""30 million kernels of a replayed graph: nothing lost or invalid, and memory stands still."""
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
# Of a fit over all but the first fifth: what one more million of kernels may add on the host.
MOST_HOST_BYTES_A_MILLION = 64 << 10
MOST_DEVICE_BYTES = 4 << 20


def run(context):
    for name, environment, kernels in RUNS:
        context.each(name, soak, environment, kernels)


class MemoryWatch:
    """Resident memory of the child that runs soak, ten times a second."""

    def __init__(self, context, program):
        self.program, self.points, self.stopped = program, [], False
        self.context = context
        self.thread = threading.Thread(target=self.watch, daemon=True)
        self.thread.start()

    def watch(self):
        while not self.stopped:
            bytes_now = self.resident()
            if bytes_now:
                self.points.append((time.monotonic(), bytes_now))
            time.sleep(0.1)

    def resident(self):
        pid = self.context.child_pid
        if pid is None:
            return None
        try:
            with open(f"/proc/{pid}/status", encoding="utf-8") as file:
                match = re.search(r"VmRSS:\s+(\d+) kB", file.read())
        except OSError:
            return None
        return int(match[1]) * 1024 if match else None

    def stop(self):
        self.stopped = True
        self.thread.join()
        return self.points


def slope(points):
    """Least squares, units of y a unit of x."""
    n = len(points)
    mean_x, mean_y = sum(x for x, _ in points) / n, sum(y for _, y in points) / n
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / spread if spread else 0.0


def soak(context, name, environment, kernels):
    argv = [context.built("soak"), "--kernels", str(kernels)]
    watch = MemoryWatch(context, argv[0])
    child, report = context.profile(name, argv, 300, **environment)
    points = watch.stop()
    context.equal(f"{name}: exit code", child.ending, "exit 0")
    whole = not environment  # what a small pool loses is counted, and nothing is ever invalid
    if not reports.check_sound(context, name, report, quality_matters=whole):
        return
    records = report["records"]
    counted = reports.kernel_count(report, "soak_kernel")
    lost = records["dropped_cupti"] + records["dropped_ring"]
    context.equal(f"{name}: kernels", counted + (0 if whole else records["dropped_cupti"]), kernels,
                  f"{child.wall_s:.1f} s, {lost} dropped")
    context.equal(f"{name}: invalid", records["invalid"], 0)
    flat(context, name, points, kernels)
    grown = re.search(r"device memory grew by (-?\d+) bytes", child.stderr)
    context.check(f"{name}: device memory", grown and int(grown[1]) <= MOST_DEVICE_BYTES,
                  f"{grown[1] if grown else '?'} bytes more at the end", f"at most {MOST_DEVICE_BYTES} more",
                  "than after the first tenth")


def flat(context, name, points, kernels):
    if len(points) < 20:
        context.check(f"{name}: host memory", False, f"{len(points)} points", "20 at least")
        return
    begin, end = points[0][0], points[-1][0]
    later = [(x, y) for x, y in points if x >= begin + 0.2 * (end - begin)]
    a_million = slope(later) * (end - begin) / (kernels / 1e6)
    context.check(f"{name}: host memory", a_million <= MOST_HOST_BYTES_A_MILLION,
                  f"{a_million / 1024:+.1f} KiB a million kernels",
                  f"at most {MOST_HOST_BYTES_A_MILLION >> 10}",
                  f"{later[0][1] / 2**20:.1f} MiB at a fifth, {later[-1][1] / 2**20:.1f} at the end")
