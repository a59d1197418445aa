"""README.md's tables, the rows that need Python: how it ends, and the processes that it starts."""
import glob
import json
import os
import signal

from harness import check, equal
from running import python

OPERATIONS = 200  # program.py's
PRELOAD = "libgapscope_preload.so"


def start(p, how, processes=1, env=None, operations=OPERATIONS):
    running = python(p, how, env=env)
    return running, running.await_snapshots(operations, processes)


def ended(p, how, env=None):
    running, pids = start(p, how, env=env)
    running.release().finish()
    equal(running.stdout, "loss 0.25\n", "stdout")
    equal(running.violations(), [], "rules of CUPTI broken")
    return running, running.reports()[pids[0]]


def final(report, operations=OPERATIONS):
    check(report["process"]["end_ns"] > 0, "not the final report")
    equal(report["records"]["seen"], operations, "records.seen")


def test_python_return(p):
    running, report = ended(p, "return")
    equal(running.code, 0, "exit code")
    equal(len(running.lines("GPU 0")), 1, running.stderr)
    final(report)


def test_python_sys_exit(p):
    running, report = ended(p, "sys_exit")
    equal(running.code, 3, "exit code")
    equal(len(running.lines("GPU 0")), 1, running.stderr)
    final(report)


def test_python_exception(p):
    running, report = ended(p, "exception")
    equal(running.code, 1, "exit code")
    check(running.lines("RuntimeError: scripted exception"), running.stderr)
    check(len(running.stderr.split("scripted exception")[-1].splitlines()) <= 8, "buries the traceback")
    final(report)


def test_python_keyboard_interrupt(p):
    running, report = ended(p, "keyboard_interrupt")
    equal(running.code, -signal.SIGINT, "exit code")
    check("KeyboardInterrupt" in running.stderr, running.stderr)
    # Python ends itself by the signal, so no exit handler runs.
    equal((report["process"]["end_ns"], report["records"]["seen"]), (0, OPERATIONS), "the snapshot")


def test_python_os_exit(p):
    running, report = ended(p, "os_exit")
    equal(running.code, 4, "exit code")
    equal(running.lines("GPU 0"), [], "a page")
    equal((report["process"]["end_ns"], report["records"]["seen"]), (0, OPERATIONS), "the snapshot")


def test_python_os_exit_preload(p):
    if p.sanitize:
        return  # they must be the first library of a process
    running, report = ended(p, "os_exit", env={"LD_PRELOAD": p.path(PRELOAD)})
    equal(running.code, 4, "exit code")
    equal(len(running.lines("GPU 0")), 1, running.stderr)
    final(report)


def test_python_sigterm(p):
    running, report = ended(p, "sigterm")
    equal(running.code, -signal.SIGTERM, "exit code")
    equal((report["process"]["end_ns"], report["records"]["seen"]), (0, OPERATIONS), "the snapshot")


# HPCToolkit#195, #326: a forked child never hangs in a flush, and prints nothing.
def test_python_data_loader_workers(p):
    running, pids = start(p, "fork_pool")
    running.release().finish()
    equal((running.code, running.stdout), (0, "pool 285\nloss 0.25\n"), "exit code, stdout")
    equal(len(running.lines(" pid ")), 1, running.stderr)
    equal(list(running.files()), pids, "snapshots")
    final(running.reports()[pids[0]])


def test_python_fork_by_hand(p):
    running, pids = start(p, "fork_by_hand", operations=2 * OPERATIONS)
    running.release().finish()
    equal((running.code, running.stdout), (0, "children [5, 5]\nloss 0.25\n"), "exit code, stdout")
    equal(len(running.lines(" pid ")), 1, running.stderr)
    final(running.reports()[pids[0]], 2 * OPERATIONS)


def test_python_starts_and_stops(p):
    """Threads, forked workers and a busy interpreter lock, again and again; TEST_STARTS says how often."""
    for _ in range(int(os.environ.get("TEST_STARTS", 5))):
        running, pids = start(p, "churn", operations=4 * OPERATIONS)
        running.release().finish()
        equal((running.code, running.stdout), (0, "pool 285\nloss 0.25\n"), "exit code, stdout")
        equal(running.violations(), [], "rules of CUPTI broken")
        equal(list(running.files()), pids, "snapshots")
        final(running.reports()[pids[0]], 4 * OPERATIONS)


def reports_of(running):
    """GAPSCOPE_REPORT's files: what they say, by process id."""
    found = {}
    for path in glob.glob(os.path.join(running.folder, "report*.json")):
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
        check(report["process"]["pid"] not in found, f"two files of one process: {path}")
        found[report["process"]["pid"]] = report
    return found


# GitM-Labs/runtime#64: work done in child processes is reported per process.
def several_workers(p, method, env=None):
    running, pids = start(p, method, 3, {"GAPSCOPE_REPORT": "report.json", **(env or {})})
    running.release().finish()
    equal((running.code, running.stdout), (0, "workers [0, 0, 0]\nloss 0.25\n"), "exit code, stdout")
    equal(running.violations(), [], "rules of CUPTI broken")
    found = reports_of(running)
    equal(sorted(found), pids, "processes with a report of their own")
    for report in found.values():
        equal(report["records"]["seen"], OPERATIONS, "records.seen")
    return running


def test_python_spawn(p):
    """The name without %p is one process's; the others take another, and say so."""
    running = several_workers(p, "spawn")
    equal(len(running.lines("GPU 0")), 3, running.stderr)
    equal(len(running.lines("report.json while this one ran")), 2, running.stderr)


def test_python_fork_before_cuda(p):
    """multiprocessing lets forked workers end by os._exit: their snapshots remain."""
    running = several_workers(p, "fork")
    equal(running.lines("GPU 0"), [], "pages")


def test_python_fork_before_cuda_preload(p):
    if p.sanitize:
        return
    running = several_workers(p, "fork", {"LD_PRELOAD": p.path(PRELOAD)})
    equal(len(running.lines("GPU 0")), 3, running.stderr)


def test_python_subprocess(p):
    running, pids = start(p, "subprocess", 2, {"GAPSCOPE_REPORT": "report.json"})
    running.release().finish()
    equal((running.code, running.stdout), (0, "child 0\nloss 0.25\n"), "exit code, stdout")
    equal(sorted(reports_of(running)), pids, "processes with a report of their own")
    equal(len(running.lines("GPU 0")), 2, running.stderr)


def test_python_daemon(p):
    """Its terminal has gone when it ends: the report is where it can be found."""
    running = python(p, "daemon").finish()
    pids = running.await_snapshots(OPERATIONS, ends=True)
    equal((running.code, running.stdout, running.stderr), (0, "loss 0.25\n", ""), "its parent")
    running.release()
    report = running.reports()[pids[0]]
    while report["process"]["end_ns"] == 0:  # until the test's time is over
        report = running.reports()[pids[0]]
    final(report)
