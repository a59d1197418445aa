"""README.md's table of endings, a row a test: the numbers so far survive (sglang#3511, ray#60904).

Each program works, and waits until a snapshot holds all that it did; then it ends.
"""
import os
import signal

from ended import OPERATIONS, ended, killed, left_behind, whole
from harness import check, equal
from running import driver


def test_ending_return(p):
    running, pid = ended(p, "return")
    equal(running.code, 0, "exit code")
    equal(len(running.lines("GPU 0")), 1, running.stderr)
    whole(p, running, pid)


def test_ending_exit(p):
    running, pid = ended(p, "exit")
    equal(running.code, 0, "exit code")
    check(len(running.stderr.splitlines()) > 8, "not the whole page")
    whole(p, running, pid)


def test_ending_failure(p):
    """The whole report of a failed program exists without GAPSCOPE_REPORT, and the page names it."""
    running, pid = ended(p, "exit", "--exit-code", 7)
    equal(running.code, 7, "exit code")
    check(len(running.stderr.splitlines()) <= 8, "a traceback would be buried")
    check(running.lines(running.files()[pid]), f"its path is missing: {running.stderr}")
    whole(p, running, pid)


def test_ending_quick_exit(p):
    running, pid = ended(p, "quick_exit", "--exit-code", 5)
    equal(running.code, 5, "exit code")
    equal(len(running.lines("GPU 0")), 1, running.stderr)
    whole(p, running, pid)


def test_ending_exit_from_a_thread(p):
    running, pid = ended(p, "thread_exit", "--exit-code", 6)
    equal(running.code, 6, "exit code")
    equal(len(running.lines("GPU 0")), 1, running.stderr)
    whole(p, running, pid)


def test_ending_underscore_exit(p):
    running, pid = ended(p, "_exit", "--exit-code", 9)
    equal(running.code, 9, "exit code")
    left_behind(p, running, pid)


def test_ending_abort(p):
    running, pid = ended(p, "abort")
    equal(running.code, -signal.SIGABRT, "exit code")
    left_behind(p, running, pid)


def test_ending_cpp_exception(p):
    running, pid = ended(p, "exception")
    equal(running.code, -signal.SIGABRT, "exit code")
    check("scripted exception" in running.stderr, running.stderr)
    left_behind(p, running, pid)


def test_ending_sigterm(p):
    running, pid = killed(p, signal.SIGTERM)
    equal(running.code, -signal.SIGTERM, "exit code")
    left_behind(p, running, pid)


def test_ending_sigint(p):
    running, pid = killed(p, signal.SIGINT)
    equal(running.code, -signal.SIGINT, "exit code")
    left_behind(p, running, pid)


# The kernel's out-of-memory killer does the same.
def test_ending_sigkill(p):
    running, pid = killed(p, signal.SIGKILL)
    equal(running.code, -signal.SIGKILL, "exit code")
    left_behind(p, running, pid)


def test_ending_sigterm_own_handler(p):
    for when in ("before", "after"):
        running, pid = killed(p, signal.SIGTERM, arguments=("--sigterm", when))
        equal(running.code, 17, "exit code of the program's own handler")
        check(running.stdout.endswith("own handler\n"), running.stdout)
        check(running.lines("GPU 0"), f"no page: {running.stderr}")
        whole(p, running, pid)


def test_ending_device_reset(p):
    running = driver(p, "device_reset", "--operations", OPERATIONS)
    pid, = running.await_snapshots(2 * OPERATIONS)
    running.release().finish()
    equal((running.code, running.violations()), (0, []), "exit code, rules of CUPTI broken")
    equal(running.reports()[pid]["records"]["seen"], 2 * OPERATIONS, "records.seen")


# --- With GAPSCOPE_SIGTERM=1 ---
def test_sigterm_handler(p):
    running, pid = killed(p, signal.SIGTERM, env={"GAPSCOPE_SIGTERM": 1})
    equal(running.code, -signal.SIGTERM, "exit status")
    check(len(running.stderr.splitlines()) > 8 and running.lines("GPU 0"), f"no page: {running.stderr}")
    whole(p, running, pid)


def test_sigterm_handler_chains(p):
    """The program's own handler is called, whether it was there before ours or came after it."""
    for when in ("before", "after"):
        running, pid = killed(p, signal.SIGTERM, env={"GAPSCOPE_SIGTERM": 1}, arguments=("--sigterm", when))
        equal(running.code, 17, "exit code of the program's own handler")
        check(running.stdout.endswith("own handler\n"), running.stdout)
        whole(p, running, pid)


def test_sigterm_ignored(p):
    """nohup and the like: a signal that the program was started with ignored stays ignored."""
    ignore = lambda: signal.signal(signal.SIGTERM, signal.SIG_IGN)  # noqa: E731
    running = driver(p, "kernels", "--operations", OPERATIONS, env={"GAPSCOPE_SIGTERM": 1}, before=ignore)
    pid, = running.await_snapshots(OPERATIONS)
    os.kill(pid, signal.SIGTERM)
    running.release().finish()
    equal(running.code, 0, "exit code")
    whole(p, running, pid)


def caught(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        mask = int(next(line.split()[1] for line in file if line.startswith("SigCgt")), 16)
    return mask & 0x7FFFFFFF  # not libc's own, 32 and 33, which come with the first thread


def test_no_signal_handler(p):
    """Unless asked for, the process has no signal handler more than without the library."""
    masks = []
    for env in ({"GAPSCOPE_ENABLED": 0, "GAPSCOPE_SNAPSHOT": None}, {}, {"GAPSCOPE_SIGTERM": 1}):
        running = driver(p, "kernels", "--operations", OPERATIONS, env=env)
        if "GAPSCOPE_ENABLED" in env:
            check(running.process.stdout.read(9) == b"training ", "no output")
            pid = running.process.pid
        else:
            pid, = running.await_snapshots(OPERATIONS)
        masks.append(caught(pid))
        running.release().finish()
        equal(running.code, 0, "exit code")
    if p.sanitize:
        return  # they bring handlers of their own
    equal(masks[1], masks[0], "signals caught")
    equal(masks[2], masks[0] | 1 << (signal.SIGTERM - 1), "signals caught with GAPSCOPE_SIGTERM=1")
