"""Files and configuration: recordings replay to the live report; bad values cost one line."""
import gzip
import json
import os
import stat

import reports
from harness import check, equal, expected_stdout, same_figures, sound


def replays_to_the_same(p, scenario, *args, env=None):
    recording = p.file(f"{scenario}.gsrec")
    run = p.run(scenario, *args, env={"GAPSCOPE_RECORD": recording, **(env or {})})
    sound(p, run, scenario)
    process, path = p.replay(recording)
    equal(process.returncode, 0, f"replay: {process.stderr.decode()}")
    with open(path, encoding="utf-8") as f:
        replayed = json.load(f)
    live = dict(run.report)
    live.pop("self")
    replayed.pop("self")
    equal(reports.first_difference(live, replayed), None, "live and replayed report differ")
    equal(p.holds(path), [], "invariants of the replayed report")


def test_replay_basic(p):
    replays_to_the_same(p, "basic")


def test_replay_threads(p):
    replays_to_the_same(p, "threads", "--operations", 1000)


def test_replay_graphs(p):
    replays_to_the_same(p, "graphs")


def test_replay_trouble(p):
    replays_to_the_same(p, "basic", env={"FAKE_CUPTI_SHUFFLE": 3, "FAKE_CUPTI_DROP_EVERY": 40,
                                         "FAKE_CUPTI_ZERO_EVERY": 33, "FAKE_CUPTI_LOSE_EVERY": 90})


def test_replay_range(p):
    replays_to_the_same(p, "range", env={"GAPSCOPE_CAPTURE": "range"})


def test_replay_late(p):
    replays_to_the_same(p, "late_record")


def test_replay_small_rings(p):
    replays_to_the_same(p, "kernels", "--operations", 20000, env={"GAPSCOPE_RING_SIZE": "16KiB"})


def test_recording_limit(p):
    recording = p.file("short.gsrec")
    run = p.run("kernels", "--operations", 30000,
                env={"GAPSCOPE_RECORD": recording, "GAPSCOPE_RECORD_LIMIT": "128KiB"})
    sound(p, run, "kernels")
    equal(run.report["records"]["seen"], 30000, "the live report is whole")
    equal(len(run.lines("recording stopped")), 1, f"lines about it: {run.stderr.decode()}")
    check(os.path.getsize(recording) <= 128 << 10, "size of the recording")
    process, path = p.replay(recording)
    equal(process.returncode, 0, f"replay: {process.stderr.decode()}")
    equal(p.holds(path), [], "invariants of the replayed report")


def test_report_cannot_be_written(p):
    target = p.file("missing/folder/report.json")
    run = p.run("basic", env={"GAPSCOPE_REPORT": target})
    equal(run.stdout, b"training basic\nloss 0.25\n", "stdout")
    equal(run.code, 0, "exit code")
    check(run.lines(target), f"no line about it: {run.stderr.decode()}")
    check(len(run.stderr.decode().splitlines()) > 5, "the page is missing")


def test_recording_cannot_be_written(p):
    run = p.run("basic", env={"GAPSCOPE_RECORD": p.file("missing/folder/x.gsrec")})
    sound(p, run, "basic")
    same_figures(run)
    check(run.lines("x.gsrec"), f"no line about it: {run.stderr.decode()}")


def test_unknown_variable(p):
    run = p.run("basic", env={"GAPSCOPE_REPROT": "x", "GAPSCOPE_GRAPHS": "nodes"},
                refused=("GAPSCOPE_GRAPHS", "GAPSCOPE_REPROT"))
    sound(p, run, "basic")
    same_figures(run)
    complaints = run.lines("GAPSCOPE_REPROT")
    equal(len(complaints), 1, "lines about the unknown name")
    check("GAPSCOPE_REPORT" in complaints[0], f"nearest name missing: {complaints}")
    equal(len(run.lines("GAPSCOPE_GRAPHS")), 1, "lines about the bad value")


def test_ring_overflow_is_counted(p):
    for operations in (5000, 20000, 80000):  # a slow machine's collector keeps up for longer
        run = p.run("threads", "--operations", operations, env={"GAPSCOPE_RING_SIZE": "16KiB"})
        sound(p, run, "threads")
        records = run.report["records"]
        called = sum(c["count"] for c in run.truth["calls"].values())
        equal(records["calls"] + records["dropped_ring"], called, "calls kept and dropped = calls made")
        equal(records["seen"], len(run.truth["operations"]), "records.seen")
        if records["dropped_ring"] > 0:
            return
    raise AssertionError("the rings did not overflow")


# Measured on an H200: a CUPTI whose requests are declined piles up memory of its own, hundreds of
# megabytes on host and device in ten seconds. So it always gets a buffer.
def test_buffer_limit(p):
    run = p.run("kernels", "--operations", 20000,
                env={"GAPSCOPE_BUFFER_SIZE": "64KiB", "GAPSCOPE_BUFFER_LIMIT": "256KiB"})
    sound(p, run, "kernels")
    records = run.report["records"]
    # Of the dropped ones, one may be the synchronisation's and two may tell of the devices.
    kept = records["seen"] + records["dropped_cupti"]
    check(20000 <= kept <= 20003, f"records kept and dropped: {kept}")
    check(records["dropped_cupti"] > 0, "the limit was not reached")
    equal(run.events("declined"), [], "requests declined")


# kineto#1275: versions before 12.9 crash on a declined buffer.
def test_buffer_limit_cupti_12(p):
    run = p.run("kernels", "--operations", 20000, cupti=12,
                env={"GAPSCOPE_BUFFER_SIZE": "64KiB", "GAPSCOPE_BUFFER_LIMIT": "256KiB",
                     "FAKE_CUPTI_DELIVERY": "flush"})
    sound(p, run, "kernels")
    records = run.report["records"]
    # Of the dropped ones, one may be the synchronisation's and two may tell of the devices.
    kept = records["seen"] + records["dropped_cupti"]
    check(20000 <= kept <= 20003, f"records kept and dropped: {kept}")


def test_report_is_private(p):
    run = p.run("basic", before=lambda: os.umask(0))
    sound(p, run, "basic")
    check(os.stat(run.paths["report"]).st_mode & 0o022 == 0, "others may write the report")


def test_report_follows_the_users_own_link(p):
    target, link = p.file("target.json"), p.file("link.json")
    os.symlink(target, link)
    run = p.run("basic", env={"GAPSCOPE_REPORT": link})
    equal(run.code, 0, "exit code")
    equal(p.holds(target), [], "invariants")
    check(os.path.islink(link), "the link is gone")


def test_files_never_follow_a_planted_link(p):
    if os.geteuid() != 0:
        return  # only root can plant as somebody else
    precious, folder = p.file("precious"), p.file("tmp")
    with open(precious, "w", encoding="utf-8") as f:
        f.write("precious")
    os.mkdir(folder)
    os.chmod(folder, 0o1777)
    links = {name: os.path.join(folder, name.lower())
             for name in ("GAPSCOPE_REPORT", "GAPSCOPE_OUTPUT", "GAPSCOPE_RECORD")}
    for link in links.values():
        os.symlink(precious, link)
        os.lchown(link, 65534, 65534)
    run = p.run("basic", env=links)
    equal(run.code, 0, "exit code")
    with open(precious, encoding="utf-8") as f:
        equal(f.read(), "precious", "the file that the links name")
    equal(p.holds(links["GAPSCOPE_REPORT"]), [], "invariants")
    check(not os.path.islink(links["GAPSCOPE_REPORT"]), "the link is still there")
    check(os.path.getsize(links["GAPSCOPE_OUTPUT"]) > 0, "no page")
    equal(len(run.lines("somebody else's")), 1, f"lines about the recording: {run.stderr.decode()}")


def test_pipes_that_nobody_reads(p):
    pipe, page = p.file("pipe"), p.file("page")
    for path in (pipe, page):
        os.mkfifo(path)
    run = p.run("basic", env={"GAPSCOPE_REPORT": pipe, "GAPSCOPE_OUTPUT": page})
    equal(run.stdout, expected_stdout("basic"), "stdout")
    equal(run.code, 0, "exit code")
    for path in (pipe, page):
        equal(len(run.lines(f"cannot write {path}: nobody reads")), 1, run.stderr.decode())
        check(stat.S_ISFIFO(os.lstat(path).st_mode), "the pipe was replaced")


def test_page_on_stdout(p):
    link = p.file("stdout")
    os.symlink("/proc/self/fd/1", link)  # as /dev/stdout is
    run = p.run("basic", env={"GAPSCOPE_OUTPUT": link})
    equal(run.code, 0, "exit code")
    # The program's buffer is written out after our page.
    for line in expected_stdout("basic").splitlines(keepends=True):
        check(line in run.stdout, f"stdout: {run.stdout.decode()}")
    check(b"kernel" in run.stdout, "no page")
    check(os.path.islink(link), "the link was replaced")


def test_stderr_without_a_reader(p):
    def break_stderr():
        reader, writer = os.pipe()
        os.close(reader)
        os.dup2(writer, 2)
        os.close(writer)
    sound(p, p.run("basic", before=break_stderr), "basic")


def test_file_names(p):
    pattern = p.file("r.%r.%q{JOB}.%h.%p.100%%.json")
    run = p.run("basic", env={"GAPSCOPE_REPORT": pattern, "RANK": 3, "WORLD_SIZE": 8, "JOB": "j1"})
    equal(run.code, 0, "exit code")
    path = p.file(f"r.3.j1.{os.uname().nodename}.{run.truth['pid']}.100%.json")
    equal(p.holds(path), [], "invariants")
    with open(path, encoding="utf-8") as f:
        equal(json.load(f)["process"]["rank"], "3/8", "rank")


def test_page_fits_80_columns(p):
    for scenario in ("basic", "graphs", "communication"):
        run = p.run(scenario, env={"LC_ALL": "C.UTF-8"})
        sound(p, run, scenario)
        wide = [line for line in run.stderr.decode().splitlines() if len(line) > 80 and "/" not in line]
        equal(wide, [], "lines that are too long")


def test_page_is_ascii_without_utf_8(p):
    run = p.run("basic", env={"LC_ALL": "C"})
    sound(p, run, "basic")
    check(all(byte < 128 for byte in run.stderr), "bytes beyond ASCII")


def test_trace(p):
    path = p.file("trace.json.gz")
    run = p.run("basic", env={"GAPSCOPE_TRACE": path})
    sound(p, run, "basic")
    same_figures(run)
    with gzip.open(path) as f:
        trace = json.load(f)
    device = run.report["devices"][0]
    gaps = [e for e in trace["traceEvents"] if e.get("cat") == "gpu_idle"]
    equal(sum(round(e["dur"] * 1000) for e in gaps), device["idle_ns"], "idle time of the trace")
    kernels = [e for e in trace["traceEvents"] if e.get("cat") == "kernel"]
    equal(sum(round(e["dur"] * 1000) for e in kernels), device["kernel_sum_ns"], "kernel time")


def test_trace_cannot_be_written(p):
    run = p.run("basic", env={"GAPSCOPE_TRACE": p.file("missing/folder/t.json")})
    sound(p, run, "basic")
    same_figures(run)
    check(run.lines("t.json"), f"no line about it: {run.stderr.decode()}")


def test_html(p):
    path = p.file("page.html")
    run = p.run("basic", env={"GAPSCOPE_HTML": path})
    sound(p, run, "basic")
    with open(path, encoding="utf-8") as f:
        data = f.read().split('id="data">')[1].split("</script>")[0]
    equal(json.loads(data)["report"], run.report, "the report inside the page")


def test_environment(p):
    run = p.run("basic", env={"CUDA_VISIBLE_DEVICES": "0", "SOME_API_KEY": "hush-hush"})
    sound(p, run, "basic")
    environment = run.report["process"]["environment"]
    check(environment["kernel"].startswith("Linux"), f"kernel: {environment['kernel']}")
    check({"name": "CUDA_VISIBLE_DEVICES", "value": "0"} in environment["variables"],
          f"variables: {environment['variables']}")
    check(any(l["name"] == "CUPTI" for l in environment["libraries"]),
          f"libraries: {environment['libraries']}")
    check("hush-hush" not in json.dumps(run.report), "a secret is in the report")


def test_environment_anonymous(p):
    run = p.run("basic", env={"GAPSCOPE_ANONYMOUS": 1})
    sound(p, run, "basic")
    check("/" not in json.dumps(run.report["process"]["environment"]["libraries"]), "a folder")
    equal(run.report["process"]["hostname"], "", "host name")
