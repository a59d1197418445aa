"""gapscope ps and show --pid: snapshots as processes leave them. tests/pipeline has live ones."""
import json
import os
import time

from cli import load, write


def put(cli, pid, report, age_s=0, ended=True):
    """A snapshot of a made-up process; without its end the process died."""
    folder = cli.path("snapshots")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    report = json.loads(json.dumps(report))
    report["process"]["pid"] = pid
    if not ended:
        report["process"]["end_ns"] = 0
    path = write(os.path.join(folder, f"snapshot.{pid}.json"), json.dumps(report).encode())
    when = time.time() - age_s
    os.utime(path, (when, when))
    return path


def ps(cli, *arguments):
    return cli.run("ps", *arguments, env={"GAPSCOPE_SNAPSHOT": cli.path("snapshots")})


def show(cli, *arguments):
    return cli.run("show", *arguments, env={"GAPSCOPE_SNAPSHOT": cli.path("snapshots")})


def test_ps_without_processes(cli):
    assert ps(cli).expect(0).out == "PID       STATE  AGE     COMMAND\n"
    os.mkdir(cli.path("snapshots"), 0o700)
    assert ps(cli).expect(0).out == "PID       STATE  AGE     COMMAND\n"
    cli.run("ps", env={"GAPSCOPE_SNAPSHOT": "0"}).expect(2, "GAPSCOPE_SNAPSHOT=0")


def test_ps(cli):
    _, report = cli.report("a")
    put(cli, 11, report, age_s=7200)
    put(cli, 12, report, age_s=300, ended=False)
    lines = ps(cli, "--width", "100").expect(0).out.splitlines()
    assert [line.split()[:2] for line in lines[1::2]] == [["12", "died"], ["11", "ended"]], lines
    assert " 5 min " in lines[1] and " 2 h " in lines[3], lines
    assert all("python train.py" in line for line in lines[1::2]), lines
    assert all(line.startswith("  GPU 0") and "IDLE" in line for line in lines[2::2]), lines


def test_ps_with_damaged_and_hostile_files(cli):
    _, report = cli.report("a")
    report["process"]["command"] = "python \x1b[31mred\n" + "x" * 5000
    put(cli, 11, report)
    write(os.path.join(cli.path("snapshots"), "snapshot.12.json"), b"{")
    result = ps(cli, "--width", "80")
    assert result.code == 2 and "snapshot.12.json" in result.err, result.err
    assert "\x1b" not in result.out and max(map(len, result.out.splitlines())) <= 80, result.out


def test_show_pid(cli):
    path, report = cli.report("a")
    put(cli, 11, report)
    put(cli, 12, report, ended=False)
    whole = show(cli, "--pid", "11").expect(0).out.splitlines()
    assert whole[0].startswith("Process 11 ended "), whole[0]
    page = cli.run("show", path).out
    assert whole[2:] == page.splitlines()[1:], whole
    died = show(cli, "--pid", "12").expect(0).out
    assert died.startswith("Process 12 died without a word;") and "SNAPSHOT" in died, died
    assert show(cli, "--pid", "12", "--json", "process.pid").expect(0).out == "12\n"
    assert show(cli, "--pid", "12", "--csv", "kernels").expect(0).out.startswith("Time")
    show(cli, "--pid", "12", "--fail-if", "idle_pct>101").expect(0)


def test_show_pid_usage(cli):
    path, _ = cli.report("a")
    show(cli, "--pid", "13").expect(2, "no snapshot of process 13 in")
    show(cli, "--pid", "0").expect(1, "--pid")
    show(cli, "--pid", "x").expect(1, "--pid")
    show(cli, path, "--pid", "13").expect(1, "name a report or a process")


def test_snapshot_in_diff_and_merge(cli):
    """A snapshot is marked where it stands beside others."""
    path, report = cli.report("a")
    snapshot = put(cli, 11, report, ended=False)
    assert "snapshot" in cli.run("diff", path, snapshot).expect(0).out
    assert load(snapshot)["process"]["end_ns"] == 0
    assert "snapshots" in cli.run("merge", path, snapshot).expect(0).out
