"""The snapshot: whole at any moment, in a folder of the user's own, for a process that still runs."""
import os
import signal
import stat
import time

from ended import OPERATIONS
from harness import TIMEOUT_S, check, equal
from running import command_line, driver, show


def test_snapshot_of_a_running_process(p):
    running = driver(p, "kernels", "--operations", OPERATIONS)
    pid, = running.await_snapshots(OPERATIONS)
    shown = show(p, running, pid)
    check(shown.stdout.startswith(f"Process {pid} runs;"), shown.stdout + shown.stderr)
    check("SNAPSHOT" in shown.stdout and "GPU 0" in shown.stdout, shown.stdout)
    equal([name for name in os.listdir(running.snapshots) if name.endswith(".ask")], [], "requests left")
    value = show(p, running, pid, "--json", "records.seen")
    equal(value.stdout, f"{OPERATIONS}\n", "--json")
    listed = command_line(p, running, "ps")
    equal((listed.returncode, listed.stderr), (0, ""), "gapscope ps")
    check(f"{pid} " in listed.stdout and " runs " in listed.stdout and "GPU 0" in listed.stdout, listed.stdout)
    check("fake_driver kernels" in listed.stdout, listed.stdout)
    folder = os.stat(running.snapshots)
    equal((stat.S_IMODE(folder.st_mode), folder.st_uid), (0o700, os.geteuid()), "mode and owner of the folder")
    running.release().finish()
    check(" ended " in command_line(p, running, "ps").stdout, "state after the end")


def test_snapshot_is_always_whole(p):
    """Read again and again while it is rewritten, it parses every time and never goes back."""
    running = driver(p, "kernels", "--operations", 20_000)
    seen = 0
    for _ in range(2000):
        for report in running.reports().values():
            check(report["records"]["seen"] >= seen, "an older one came back")
            seen = report["records"]["seen"]
        if seen == 20_000:
            break
    running.await_snapshots(20_000)
    running.release().finish()
    equal(running.code, 0, "exit code")


# A loss that nothing follows in its thread: the process may be killed any moment.
def test_snapshot_counts_what_a_full_ring_dropped(p):
    for operations in (5000, 20000, 80000):  # a slow machine's collector keeps up for longer
        running = driver(p, "threads", "--operations", operations, env={"GAPSCOPE_RING_SIZE": "16KiB"})
        # The copies come on top.
        pid, = running.await_snapshots(4 * operations + 4 * (operations // 32))
        deadline = time.monotonic() + TIMEOUT_S
        made = 4 * (operations + (operations + 31) // 32 + 1) + 1
        while True:
            records = running.reports()[pid]["records"]
            if records["calls"] + records["dropped_ring"] >= made:
                break
            check(time.monotonic() < deadline, f"{made} calls made: {records}")
            time.sleep(0.02)
        os.kill(pid, signal.SIGKILL)
        running.finish()
        equal(records["calls"] + records["dropped_ring"], made, "calls kept and dropped = calls made")
        if records["dropped_ring"] > 0:
            return
    raise AssertionError("the rings did not overflow")


def test_snapshot_without_cuda(p):
    running = driver(p, "no_cuda")
    running.release().finish()
    equal((running.code, os.path.exists(running.snapshots)), (0, False), "exit code, folder of snapshots")
    unknown = show(p, running, running.process.pid)
    equal((unknown.returncode, unknown.stdout), (2, ""), "gapscope show")
    check(f"no snapshot of process {running.process.pid}" in unknown.stderr, unknown.stderr)


def test_snapshot_off(p):
    running = driver(p, "kernels", env={"GAPSCOPE_SNAPSHOT": 0, "GAPSCOPE_REPORT": "report.json"})
    running.release().finish()
    equal((running.code, os.path.exists(running.snapshots)), (0, False), "exit code, folder of snapshots")
    check(os.path.exists(os.path.join(running.folder, "report.json")), "the report")


def test_snapshot_off_the_report_is_kept_up_to_date(p):
    running = driver(p, "kernels", "--operations", OPERATIONS,
                     env={"GAPSCOPE_SNAPSHOT": 0, "GAPSCOPE_REPORT": "report.json"})
    path = os.path.join(running.folder, "report.json")
    deadline = time.monotonic() + TIMEOUT_S
    while not os.path.exists(path):
        check(time.monotonic() < deadline, "no report while the program runs")
        time.sleep(0.02)
    running.process.kill()
    running.finish()
    equal(p.holds(path), [], "invariants")


def test_snapshot_in_the_report_file(p):
    """GAPSCOPE_REPORT holds the snapshot too while the program runs."""
    running = driver(p, "kernels", "--operations", OPERATIONS, env={"GAPSCOPE_REPORT": "report.%p.json"})
    pid, = running.await_snapshots(OPERATIONS)
    path = os.path.join(running.folder, f"report.{pid}.json")
    os.kill(pid, signal.SIGKILL)
    running.finish()
    equal(p.holds(path), [], "invariants")


def test_snapshot_folder_is_a_planted_link(p):
    precious = p.file("precious")
    os.mkdir(precious)
    link = p.file("link")
    os.symlink(precious, link)
    running = driver(p, "kernels", env={"GAPSCOPE_SNAPSHOT": link})
    running.release().finish()
    equal((running.code, os.listdir(precious)), (0, []), "exit code, what lies in the link's folder")
    equal(len(running.lines("no snapshots: ")), 1, running.stderr)
    check(running.lines("GPU 0"), "the page")


def test_snapshot_folder_is_open_to_others(p):
    folder = p.file("open")
    os.mkdir(folder)
    os.chmod(folder, 0o777)
    running = driver(p, "kernels", env={"GAPSCOPE_SNAPSHOT": folder})
    running.release().finish()
    equal((running.code, os.listdir(folder)), (0, []), "exit code, what lies in the folder")
    equal(len(running.lines("can be written by other users")), 1, running.stderr)
