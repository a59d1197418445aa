"""Programs that end in a given way, and what they leave."""
import os

from harness import check, equal
from running import driver, show

OPERATIONS = 200
PRELOAD = "libgapscope_preload.so"


def ended(p, how, *arguments, env=None, run=None):
    """The program after its end by itself; and its snapshot's process id."""
    running = driver(p, "kernels", "--operations", OPERATIONS, "--end", how, *arguments, env=env, run=run)
    pid, = running.await_snapshots(OPERATIONS)
    running.release().finish()
    equal(running.stdout, "training kernels\nloss 0.25\n", "stdout")
    equal(running.violations(), [], "rules of CUPTI broken")
    return running, pid


def whole(p, running, pid):
    """The snapshot is the final report."""
    report = running.reports()[pid]
    check(report["process"]["end_ns"] > 0, "the snapshot is not the final report")
    equal(report["records"]["seen"], OPERATIONS, "records.seen")
    equal(p.holds(running.files()[pid]), [], "invariants")
    equal(show(p, running, pid).stdout.split(";")[0].split(" ended")[0], f"Process {pid}", "gapscope show")


def left_behind(p, running, pid):
    """The last snapshot holds what was known, and says that it is one."""
    equal(running.lines("GPU 0"), [], "a page")
    report = running.reports()[pid]
    equal(report["process"]["end_ns"], 0, "end of a process that died")
    equal(report["records"]["seen"], OPERATIONS, "records.seen")
    check(report["complete_until_ns"] > report["process"]["start_ns"], "until when it is complete")
    equal(p.holds(running.files()[pid]), [], "invariants")
    shown = show(p, running, pid)
    equal(shown.returncode, 0, f"gapscope show: {shown.stderr}")
    check(shown.stdout.startswith(f"Process {pid} died"), shown.stdout)
    check("SNAPSHOT" in shown.stdout and "complete until" in shown.stdout, shown.stdout)
    check("GPU 0" in shown.stdout, shown.stdout)


def killed(p, number, env=None, run=None, arguments=()):
    running = driver(p, "kernels", "--operations", OPERATIONS, *arguments, env=env, run=run)
    pid, = running.await_snapshots(OPERATIONS)
    os.kill(pid, number)
    running.finish()
    return running, pid
