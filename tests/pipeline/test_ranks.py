"""Several processes of one job: who prints, and that no two write one file."""
import json
import os

from harness import check, equal
from running import driver

OPERATIONS = 200


def job(p, variables, **more):
    """Four ranks at once, in one folder; each finished."""
    folder = p.file("job")
    os.makedirs(folder, exist_ok=True)
    ranks = []
    for rank in range(4):
        env = {name: value.format(rank=rank) for name, value in variables.items()}
        env.update({name: os.path.join(folder, value) for name, value in more.items()})
        ranks.append(driver(p, "kernels", "--operations", OPERATIONS, env=env))
    for running in ranks:
        running.await_snapshots(OPERATIONS)
    for running in ranks:
        running.release().finish()
        equal((running.code, running.violations()), (0, []), "exit code, rules of CUPTI broken")
    return folder, ranks


def load(folder):
    reports = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            reports[name] = json.load(file)
    return reports


def test_rank_0_prints(p):
    for names in (("RANK", "WORLD_SIZE"), ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
                  ("SLURM_PROCID", "SLURM_NTASKS"), ("PMI_RANK", "PMI_SIZE")):
        _, ranks = job(p, {names[0]: "{rank}", names[1]: "4"})
        for number, running in enumerate(ranks):
            if number == 0:
                equal(len(running.lines("GPU 0")), 1, running.stderr)
                continue
            equal(len(running.stderr.splitlines()), 1, running.stderr)
            path, = running.files().values()
            check(f"rank {number}/4" in running.stderr and path in running.stderr, running.stderr)


def test_all_ranks_print(p):
    _, ranks = job(p, {"RANK": "{rank}", "WORLD_SIZE": "4", "GAPSCOPE_RANKS": "all"})
    for running in ranks:
        equal(len(running.lines("GPU 0")), 1, running.stderr)


def test_files_by_rank(p):
    folder, _ = job(p, {"RANK": "{rank}", "WORLD_SIZE": "4"}, GAPSCOPE_REPORT="report.%r.json")
    reports = load(folder)
    equal(list(reports), [f"report.{n}.json" for n in range(4)], "files")
    equal([r["process"]["rank"] for r in reports.values()], [f"{n}/4" for n in range(4)], "ranks")


def test_one_name_for_all(p):
    """A path without %p or %r: each process still has a file of its own, whole."""
    folder, ranks = job(p, {"RANK": "{rank}", "WORLD_SIZE": "4"}, GAPSCOPE_REPORT="report.json")
    reports = load(folder)
    equal(len(reports), 4, f"files {list(reports)}")
    check("report.json" in reports, "the name that was asked for")
    equal(sorted(r["process"]["rank"] for r in reports.values()), [f"{n}/4" for n in range(4)], "ranks")
    for report in reports.values():
        equal(report["records"]["seen"], OPERATIONS, "records.seen")
    equal(sum(len(running.lines("while this one ran")) for running in ranks), 3, "processes that say so")


def test_one_page_file_for_all(p):
    folder, _ = job(p, {"RANK": "{rank}", "WORLD_SIZE": "4"}, GAPSCOPE_OUTPUT="page.txt")
    equal(len(os.listdir(folder)), 4, f"files {os.listdir(folder)}")


def test_next_run_replaces(p):
    """A report of an earlier run is replaced, as ever."""
    path = p.file("report.json")
    pids = []
    for _ in range(2):
        running = driver(p, "kernels", env={"GAPSCOPE_REPORT": path}).release().finish()
        equal(running.lines("while this one ran"), [], running.stderr)
        with open(path, encoding="utf-8") as file:
            pids.append(json.load(file)["process"]["pid"])
    check(pids[0] != pids[1], "the file was not replaced")
    equal([name for name in os.listdir(p.folder.name) if name.startswith("report")], ["report.json"], "files")


def test_values_lead_to_no_other_folder(p):
    os.mkdir(p.file("inside"))
    running = driver(p, "kernels", env={"GAPSCOPE_REPORT": p.file("inside/%q{JOB}%q{UP}.json"),
                                        "JOB": "../../escape", "UP": ".."}).release().finish()
    equal(running.code, 0, "exit code")
    equal(os.listdir(p.file("inside")), [".._.._escape__.json"], "files")


def test_page_to_a_stream(p):
    """A path below /dev is written to, not replaced."""
    running = driver(p, "kernels", env={"GAPSCOPE_OUTPUT": "/dev/fd/2"}).release().finish()
    equal(running.code, 0, "exit code")
    equal(len(running.lines("GPU 0")), 1, running.stderr)


def test_yield(p):
    """CUPTI is another tool's: nothing is subscribed, one line says so (pytorch#117935)."""
    run = p.run("basic", env={"GAPSCOPE_YIELD": 1})
    equal((run.code, run.stdout), (0, b"training basic\nloss 0.25\n"), "program")
    equal((run.events("subscribe"), run.report), ([], None), "left alone")
    lines = run.stderr.decode().splitlines()
    check(len(lines) == 1 and "GAPSCOPE_YIELD=1" in lines[0], lines)
