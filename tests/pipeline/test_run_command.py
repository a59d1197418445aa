"""gapscope run around a program with CUDA: what the program cannot print itself, run prints."""
import os
import signal

from harness import check, equal
from running import driver

OPERATIONS = 200


def start(p, *arguments, run=(), env=None):
    running = driver(p, "kernels", "--operations", OPERATIONS, *arguments, env=env, run=run)
    pid, = running.await_snapshots(OPERATIONS)
    return running, pid


def page_of_the_snapshot(running, how):
    lines = running.lines("its last snapshot, ")
    equal(len(lines), 1, running.stderr)
    check(how in lines[0], lines[0])
    check(running.lines("SNAPSHOT"), running.stderr)
    equal(len(running.lines("GPU 0")), 1, running.stderr)


def test_run_prints_the_page_once(p):
    running, _ = start(p)
    running.release().finish()
    equal(running.code, 0, "exit code")
    equal(len(running.lines("GPU 0")), 1, running.stderr)
    equal(running.lines("SNAPSHOT"), [], running.stderr)


def test_run_of_a_killed_program(p):
    for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGABRT):
        running, pid = start(p)
        os.kill(pid, number)
        running.finish()
        equal(running.code, -number, "how gapscope ends")
        page_of_the_snapshot(running, f"process {pid} was killed by {signal.Signals(number).name}")


def test_run_forwards_sigterm(p):
    """Ctrl-C of a scheduler: it stops gapscope, which passes the signal on."""
    running, _ = start(p)
    running.process.send_signal(signal.SIGTERM)
    running.finish()
    equal(running.code, -signal.SIGTERM, "how gapscope ends")
    page_of_the_snapshot(running, "was killed by SIGTERM")


def test_run_of_underscore_exit(p):
    running, _ = start(p, "--end", "_exit", "--exit-code", 9)
    running.release().finish()
    equal(running.code, 9, "exit code")
    page_of_the_snapshot(running, "ended with exit code 9 and without exit handlers")


def test_run_preload(p):
    if p.sanitize:
        return  # they must be the first library of a process
    running, _ = start(p, "--end", "_exit", "--exit-code", 9, run=("--preload",))
    running.release().finish()
    equal(running.code, 9, "exit code")
    equal(len(running.lines("GPU 0")), 1, running.stderr)
    equal(running.lines("SNAPSHOT"), [], running.stderr)


def test_run_quiet(p):
    running, pid = start(p, run=("--quiet",))
    os.kill(pid, signal.SIGKILL)
    running.finish()
    equal((running.code, running.stderr), (-signal.SIGKILL, ""), "exit code, stderr")


def test_run_sigterm_handler(p):
    running, _ = start(p, run=("--sigterm",))
    running.process.send_signal(signal.SIGTERM)
    running.finish()
    equal(running.code, -signal.SIGTERM, "how gapscope ends")
    equal(running.lines("SNAPSHOT"), [], running.stderr)
    equal(len(running.lines("GPU 0")), 1, running.stderr)


def test_run_with_children(p):
    """The process that died is a child's child: a shell between, as launchers are."""
    running = driver(p, "kernels", "--operations", OPERATIONS, "--fork-first", 2, run=())
    pids = running.await_snapshots(OPERATIONS, 3)
    for pid in pids:
        if pid != min(pids):
            os.kill(pid, signal.SIGKILL)
    running.release().finish()
    equal(running.code, 0, "exit code")
    equal(len(running.lines("died without a word")), 2, running.stderr)
    equal(len(running.lines("SNAPSHOT")), 1, running.stderr)
    equal(len(running.lines("GPU 0")), 2, f"its own page, and one of the two: {running.stderr}")
