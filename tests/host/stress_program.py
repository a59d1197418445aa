"""A small program that is awkward to watch: threads, a busy interpreter lock, fork workers, daemon
threads at the end, a sub-interpreter. Its result and exit code must not depend on being watched.

usage: stress_program.py SEED"""
import gc
import os
import random
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))


def spin(stop):
    n = 0
    while not stop.is_set():
        n += len([i for i in range(50)])


def daemon():
    while True:
        sum(range(1000))


def fork_worker(code):
    pid = os.fork()
    if pid == 0:
        garbage = [[i] for i in range(1000)]
        gc.collect()
        os._exit(code if garbage else 1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def sub_interpreter():
    try:
        import _xxsubinterpreters as interpreters
    except ImportError:
        try:
            import _interpreters as interpreters
        except ImportError:
            return
    which = interpreters.create()
    interpreters.run_string(which, "import gc, time\ntime.sleep(0.002)\ngc.collect()")
    interpreters.destroy(which)


def main():
    rng = random.Random(int(sys.argv[1]))
    probe = None
    if "GAPSCOPE_HOST_PROBE" in os.environ:
        import probe as probe_module
        probe = probe_module.Probe(probe_module.library(), period_us=200)
        probe.watch(0)
    if sys.version_info < (3, 12) and rng.random() < 0.4:
        # Beside busy threads an older interpreter hangs by itself: the request to give up its lock
        # goes to one interpreter, the busy thread looks at another's.
        sub_interpreter()
    stop = threading.Event()
    threads = [threading.Thread(target=spin, args=(stop,)) for _ in range(rng.randint(1, 3))]
    for index, thread in enumerate(threads):
        thread.start()
        if probe:
            probe.watch(index + 1, thread.native_id)
    for _ in range(rng.randint(0, 2)):
        late = threading.Thread(target=daemon, daemon=True)
        late.start()
        if probe:
            probe.watch(10, late.native_id)
    for step in range(rng.randint(1, 4)):
        what = rng.randint(0, 4)
        if what == 0 and fork_worker(7) != 7:
            print("a child failed")
            os._exit(99)
        if what == 1 and probe:
            probe.locking.probe_spin(30)
        if what == 2:
            gc.collect()
        if what == 3 and sys.version_info >= (3, 12):
            sub_interpreter()
        time.sleep(rng.random() * 0.01)
        if rng.random() < 0.5 and probe:
            probe.drain()
    if rng.random() < 0.3 and probe:
        probe.lib.probe_stop(1000)
    stop.set()
    for thread in threads:
        thread.join()
    code = rng.choice([0, 3])
    print("result", sum(range(100)), "code", code)
    sys.stdout.flush()
    if rng.random() < 0.2:
        os._exit(code)
    sys.exit(code)


if __name__ == "__main__":
    main()
