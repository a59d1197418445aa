"""30 million kernels of a replayed graph: nothing lost or invalid, and memory stands still. (parcagpu#23)"""
import json
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
    """Resident memory of the child that runs soak, four times a second; and how much of it the pool
    of activity buffers has touched so far, which may grow to its limit and no further."""

    def __init__(self, context, report_path):
        self.context, self.report_path = context, report_path
        self.points, self.stopped = [], False
        self.thread = threading.Thread(target=self.watch, daemon=True)
        self.thread.start()

    def watch(self):
        while not self.stopped:
            resident, pool = self.resident(), self.pool()
            if resident and pool is not None:
                self.points.append((time.monotonic(), resident - pool, pool))
            time.sleep(0.25)

    def resident(self):
        try:
            with open(f"/proc/{self.context.child_pid}/status", encoding="utf-8") as file:
                match = re.search(r"VmRSS:\s+(\d+) kB", file.read())
        except OSError:
            return None
        return int(match[1]) * 1024 if match else None

    def pool(self):
        """As the report so far has it: it is rewritten every quarter of a second."""
        try:
            with open(self.report_path, encoding="utf-8") as file:
                return json.load(file)["self"]["buffer_bytes"]
        except (OSError, ValueError):
            return None

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
    path = context.path("report.json")
    watch = MemoryWatch(context, path)
    child = context.run(name, argv, True, 300, GAPSCOPE_REPORT=path, GAPSCOPE_SNAPSHOT_MS=250, **environment)
    points = watch.stop()
    report = context.load(name, path)
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
    later = [p for p in points if p[0] >= begin + 0.2 * (end - begin)]
    a_million = slope([p[:2] for p in later]) * (end - begin) / (kernels / 1e6)
    first, last = later[0], later[-1]
    context.check(f"{name}: host memory", a_million <= MOST_HOST_BYTES_A_MILLION,
                  f"{a_million / 1024:+.1f} KiB a million kernels",
                  f"at most {MOST_HOST_BYTES_A_MILLION >> 10}",
                  f"without the buffers: {first[1] / 2**20:.1f} MiB at a fifth, {last[1] / 2**20:.1f} at the "
                  f"end; buffers {first[2] / 2**20:.0f} and {last[2] / 2**20:.0f} MiB")
