"""What CUPTI must never be asked or made to wait for; the fake counts what breaks a rule (sound)."""
import re

from harness import check, equal, quality, same_figures, sound


def watched(p, scenario, *args, **options):
    """Under a program whose malloc and locks are counted: none in a callback, none held in a CUPTI call."""
    run = p.run(scenario, *args, program="fake_driver_watched", **options)
    sound(p, run, scenario)
    check(run.events("allocations and locks are watched"), "nothing was watched")
    return run


def lent(run):
    """How many buffers CUPTI asked for, and the bytes of those that differ."""
    found = re.search(r"buffers (\d+) of (\d+) bytes", run.events("summary")[0])
    return int(found.group(1)), int(found.group(2))


# pytorch/kineto#1020: no buffer is allocated inside a launch. pytorch/kineto#1347: no lock of ours is
# held when CUPTI is called, none is taken when CUPTI calls.
def test_callbacks_allocate_and_lock_nothing(p):
    if p.sanitize:
        return  # their malloc and their locks are their own
    for delivery in ("worker", "flush", "launch"):
        run = watched(p, "threads", "--operations", 1500,
                      env={"FAKE_CUPTI_DELIVERY": delivery, "GAPSCOPE_BUFFER_SIZE": "64KiB"})
        same_figures(run)
        quality(run)
        check(lent(run)[0] > 10, f"buffers asked for inside launches: {lent(run)}")


def test_callbacks_allocate_and_lock_nothing_graphs(p):
    if p.sanitize:
        return
    for cupti in (12, 13):
        run = watched(p, "graphs", cupti=cupti)
        same_figures(run)


# Every way to begin and to end: start and stop by the program, a full report in the middle.
def test_callbacks_allocate_and_lock_nothing_by_api(p):
    if p.sanitize:
        return
    for scenario, variables in (("stop_early", {}), ("snapshot", {}),
                                ("range_by_api", {"GAPSCOPE_CAPTURE": "range"})):
        watched(p, scenario, "--operations", 20, env=variables)


# Beyond the limit too, where CUPTI gets buffers that are thrown away.
def test_callbacks_allocate_and_lock_nothing_at_the_limit(p):
    if p.sanitize:
        return
    for cupti in (12, 13):
        run = watched(p, "kernels", "--operations", 15000, cupti=cupti,
                      env={"GAPSCOPE_BUFFER_SIZE": "64KiB", "GAPSCOPE_BUFFER_LIMIT": "128KiB",
                           "FAKE_CUPTI_DELIVERY": "flush", "GAPSCOPE_FLUSH_MS": 5000})
        check(run.report["records"]["dropped_cupti"] > 0, "the limit was not reached")


# pytorch/kineto#1362: a hard cap on buffer memory, however many records come before they are taken in:
# the limit, and 4 MiB for buffers that are thrown away.
def test_buffer_memory_is_capped(p):
    run = p.run("kernels", "--operations", 40000,
                env={"GAPSCOPE_BUFFER_SIZE": "64KiB", "GAPSCOPE_BUFFER_LIMIT": "256KiB",
                     "FAKE_CUPTI_DELIVERY": "flush", "GAPSCOPE_FLUSH_MS": 5000})
    sound(p, run, "kernels")
    check(run.events("declined"), f"the limit was not reached: {lent(run)}")
    equal(lent(run)[1], (256 << 10) + (4 << 20), "bytes of all buffers together")
    check(run.report["records"]["dropped_cupti"] > 0, "nothing was dropped")
    check(run.report["self"]["buffer_bytes"] <= 256 << 10, "self.buffer_bytes")


# pytorch/pytorch#195207: what the program launches after the end of the session goes into a buffer that
# CUPTI holds and never hands back: it stays.
def test_buffers_outlive_the_session(p):
    run = p.run("stop_early", "--operations", 400)
    sound(p, run, "stop_early")
    requests, _ = lent(run)
    equal(run.report["records"]["seen"], 400, "records.seen")
    check(run.events("forced flush"), "the end was not flushed")
    check(requests >= 2, f"no buffer was asked for after the end: {requests} requests")


# pytorch/pytorch#57744: the shared libcupti is loaded, and the program's exceptions are its own affair.
def test_exceptions(p):
    threads, operations = 4, 250
    for program in ("fake_driver", "fake_driver_linked"):
        run = p.run("exceptions", "--threads", threads, "--operations", operations, program=program)
        sound(p, run, "exceptions")
        same_figures(run)
        quality(run)
        thrown = threads * operations
        values = run.truth["values"]
        equal([values[k] for k in ("caught", "passed_on", "unwound")], [thrown, threads, 2 * thrown + 1],
              "exceptions caught, passed on, frames unwound")
        equal(run.report["process"]["cupti_path"], p.cupti(13), "cupti_path")
