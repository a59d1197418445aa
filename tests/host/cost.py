"""What the sampler takes of a core while active, in the cases that matter; for the room's README.

usage: cost.py SECONDS, with GAPSCOPE_HOST_PROBE naming the library"""
import os
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import probe as probe_module  # noqa: E402


def nested(depth, then):
    if depth == 0:
        then()
    else:
        nested(depth - 1, then)


def spin(end):
    def work(n):
        return n + 1

    while time.monotonic() < end:
        for _ in range(100):
            work(1)


def measure(probe, name, body, threads=1):
    seconds = float(sys.argv[1])
    end = time.monotonic() + seconds
    before = probe.lib.probe_cpu_ns()
    begin = time.monotonic()
    workers = []
    for index in range(threads):
        def run(i=index):
            probe.watch(i)
            nested(15, lambda: body(end))
        workers.append(threading.Thread(target=run))
        workers[-1].start()
    samples = 0
    while time.monotonic() < end:
        time.sleep(0.01)
        samples += sum(1 for r in probe.drain() if r["kind"] == "sample")
    for worker in workers:
        worker.join()
    wall = time.monotonic() - begin
    cpu = (probe.lib.probe_cpu_ns() - before) / 1e9
    print("%-44s %5.2f %% of a core, %5.0f records/s" % (name, 100 * cpu / wall, samples / wall))


def main():
    probe = probe_module.Probe(probe_module.library(), period_us=2000)
    measure(probe, "one thread asleep, 20 frames deep", lambda e: time.sleep(e - time.monotonic()))
    measure(probe, "one thread spinning in Python, 20 frames", spin)
    measure(probe, "four threads spinning in Python", spin, 4)
    measure(probe, "one in a C call that keeps the lock",
            lambda e: probe.locking.probe_spin(int(1000 * (e - time.monotonic()))))


if __name__ == "__main__":
    main()
