"""The program: its output, exit code and children stay as they are without the library."""
import json
import os
import resource
import subprocess

import oracle
from harness import check, equal, quality, same_figures, sound


def test_same_with_and_without(p):
    for scenario, args, code in (("basic", (), 0), ("basic", ("--exit-code", 7), 7),
                                 ("threads", ("--end", "exit", "--exit-code", 3), 3),
                                 ("kernels", ("--end", "_exit", "--exit-code", 9), 9),
                                 ("kernels", ("--end", "quick_exit", "--exit-code", 5), 5),
                                 ("kernels", ("--end", "thread_exit", "--exit-code", 6), 6),
                                 ("kernels", ("--end", "abort"), -6),
                                 ("kernels", ("--end", "sigterm"), -15),
                                 ("kernels", ("--end", "sigint"), -2),
                                 ("kernels", ("--end", "exception"), -6)):
        without = p.run(scenario, *args, library=False)
        under = p.run(scenario, *args)
        equal(without.code, code, f"{scenario} {args} exit code without")
        equal(under.code, code, f"{scenario} {args} exit code with")
        equal(under.stdout, without.stdout, f"{scenario} {args} stdout")
        equal(under.violations(), [], "rules of CUPTI broken")
        if not without.stderr:
            equal(without.stderr, b"", "stderr without")


def test_verbose(p):
    """One line at the start: which libcupti, and with what."""
    run = p.run("basic", env={"GAPSCOPE_VERBOSE": 1, "GAPSCOPE_GRAPHS": "graph"})
    lines = run.lines(": started; ")
    equal(len(lines), 1, run.stderr.decode())
    for word in (p.cupti(), "capture all", "graphs by launch", run.paths["report"]):
        check(word in lines[0], f"{word} is not in {lines[0]}")
    equal(p.run("basic").lines(": started; "), [], "without it")


def test_failing_program(p):
    run = p.run("kernels", "--exit-code", 7)
    sound(p, run, "kernels", code=7)
    same_figures(run)
    lines = run.stderr.decode().splitlines()
    check(len(lines) <= 8, f"a traceback would be buried under {len(lines)} lines")
    check(run.lines(run.paths["report"]), "the path of the whole report is missing")


def test_exit_while_others_launch(p):
    run = p.run("launch_until_exit", "--end", "exit")
    equal(run.stdout, b"training launch_until_exit\nloss 0.25\n", "stdout")
    equal(run.code, 0, f"exit code {run.stderr.decode()}")
    equal([v for v in run.violations()], [], "rules of CUPTI broken")
    check(run.report is not None, "no report")
    equal(p.holds(run.paths["report"]), [], "invariants")


# HPCToolkit#195, #326, GitM-Labs/runtime#64.
def test_fork_child(p):
    run = p.run("fork_child")
    equal(run.stdout, b"training fork_child\nchild 0 ended with 3\nchild 1 ended with 3\nloss 0.25\n", "stdout")
    equal(run.code, 0, "exit code")
    equal(run.violations(), [], "rules of CUPTI broken")
    same_figures(run)
    quality(run)
    pages = [line for line in run.lines("pid ") if str(run.truth["pid"]) in line]
    equal(len(run.lines(" pid ")), len(pages), f"a child printed: {run.stderr.decode()}")


def test_fork_exec(p):
    run = p.run("fork_exec", env={"GAPSCOPE_REPORT": p.file("report.%p.json")})
    equal(run.code, 0, "exit code")
    equal(run.violations(), [], "rules of CUPTI broken")
    with open(run.paths["truth"] + ".child", encoding="utf-8") as f:
        child = json.load(f)
    for truth in (run.truth, child):
        with open(p.file(f"report.{truth['pid']}.json"), encoding="utf-8") as f:
            report = json.load(f)
        equal(report["process"]["pid"], truth["pid"], "pid")
        equal(report["records"]["seen"], len(oracle.operations(truth)), "records.seen")


def test_spawned_children(p):
    run = p.run("spawn_children")
    sound(p, run, "spawn_children")
    same_figures(run)
    quality(run)
    equal(run.truth["values"]["good"], 9, "children that ended well")
    equal(len(run.lines(" pid ")), 1, f"a child printed: {run.stderr.decode()}")


# Several CUDA processes of one job: one report each, and no two write one file.
def test_forked_before_cuda(p):
    run = p.run("kernels", "--fork-first", 3, env={"GAPSCOPE_REPORT": p.file("forked.%p.json")})
    equal(run.code, 0, "exit code")
    equal(run.violations(), [], "rules of CUPTI broken")
    for suffix in ("", ".0", ".1", ".2"):
        with open(run.paths["truth"] + suffix, encoding="utf-8") as f:
            truth = json.load(f)
        path = p.file(f"forked.{truth['pid']}.json")
        equal(p.holds(path), [], "invariants")
        with open(path, encoding="utf-8") as f:
            report = json.load(f)
        equal(report["process"]["pid"], truth["pid"], "pid")
        equal(report["records"]["seen"], len(oracle.operations(truth)), "records.seen")


# Address space at its limit, whatever the place where memory ends: the program does not notice.
def test_memory_limits(p):
    if p.sanitize:
        return  # their shadow memory needs all of it
    for mib in (*range(20, 160, 8), 200, 300):
        def limit(size=mib << 20):
            resource.setrlimit(resource.RLIMIT_AS, (size, size))
        # The fake's own thread would not start either.
        run = p.run("kernels", env={"FAKE_CUPTI_DELIVERY": "flush"}, before=limit)
        equal((run.stdout, run.code), (b"training kernels\nloss 0.25\n", 0),
              f"program with {mib} MiB, stderr {run.stderr.decode()}")
        equal(run.violations(), [], "rules of CUPTI broken")


def test_disabled(p):
    run = p.run("basic", env={"GAPSCOPE_ENABLED": 0})
    equal(run.stdout, b"training basic\nloss 0.25\n", "stdout")
    equal((run.code, run.stderr, run.report, run.log), (0, b"", None, []), "left alone")


def test_quiet(p):
    run = p.run("basic", env={"GAPSCOPE_QUIET": 1})
    sound(p, run, "basic")
    equal(run.stderr, b"", "stderr")


def test_page_to_a_file(p):
    page = p.file("page.txt")
    run = p.run("basic", env={"GAPSCOPE_OUTPUT": page})
    sound(p, run, "basic")
    equal(run.stderr, b"", "stderr")
    with open(page, encoding="utf-8") as f:
        check(str(run.truth["pid"]) in f.read(), "the page is in the file")


def test_linked(p):
    run = p.run("kernels", program="fake_driver_linked", env={"CUDA_INJECTION64_PATH": None})
    sound(p, run, "kernels")
    same_figures(run)
    quality(run)


def test_linked_without_cuda(p):
    run = p.run("no_cuda", program="fake_driver_linked", env={"CUDA_INJECTION64_PATH": None})
    sound(p, run, "no_cuda")
    quality(run)
    equal(run.report["devices"], [], "devices")


# One copy, one state: whichever starts first records, the other does nothing.
def test_linked_and_injected(p):
    run = p.run("kernels", program="fake_driver_linked")
    sound(p, run, "kernels")
    same_figures(run)
    quality(run)
    equal(len(run.events("subscribe")), 1, "subscriptions")
    equal(len([line for line in run.lines(" pid ")]), 1, f"pages: {run.stderr.decode()}")


def test_memory_does_not_grow_with_the_run(p):
    peaks = []
    for operations in (20_000, 200_000):
        command = [p.path("fake_driver"), "kernels", "--operations", str(operations)]
        env = p.environment({"CUDA_INJECTION64_PATH": p.path("libgapscope.so"),
                             "GAPSCOPE_CUPTI_PATH": p.cupti(), "GAPSCOPE_REPORT": p.file("r.json")})
        child = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = status
        equal(status, 0, "exit status")
        peaks.append(usage.ru_maxrss)
    peaks = peaks if p.sanitize == "" else [0, 0]
    # The driver's own truth takes about 200 bytes an operation; a record kept would add as much.
    check(peaks[1] - peaks[0] < 100_000, f"peak memory {peaks} KiB")
