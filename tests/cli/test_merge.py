"""gapscope merge: the reports of a job's ranks on one page."""
import copy
import json
import time

from cli import load, read, write


def job(cli, idles, size=None, names="r{}"):
    """One report a rank, its steps ending with so many microseconds of idle time."""
    size = size or len(idles)
    return [cli.report(names.format(i), "--steps", "40", "--idle", str(idle), "--rank", f"{i}/{size}")[0]
            for i, idle in enumerate(idles)]


def communication(report, total_ns, calls=100):
    """Adds a collective's kernel to a report, and its time to the window."""
    for scope in (report, report["steady"]):
        device = scope["devices"][0]
        kernel = copy.deepcopy(device["kernels"][0])
        kernel.update(name="ncclDevKernel_AllReduce", full_name="ncclDevKernel_AllReduce_Sum_f32",
                      communication=True, total_ns=total_ns, alone_ns=total_ns, calls=calls)
        device["kernels"].append(kernel)
        device["comm_exposed_ns"] += total_ns
        device["comm_ns"] += total_ns
        device["window_ns"] += total_ns


def save(path, report):
    write(path, json.dumps(report).encode())


def figures(cli, paths):
    return json.loads(cli.run("merge", *paths, "--json", "-").expect(0).out)


def test_merge_page(cli):
    paths = job(cli, [1500, 1500, 4500, 1500])
    page = cli.run("merge", *paths).expect(0).out
    assert "4 ranks on 1 host, 4 GPUs" in page and "MISSING" not in page
    slowest = page[page.index("SLOWEST"):].split("\n\n")[0]
    assert "rank 2 on testhost" in slowest and "3.0 ms a step" in slowest, page
    assert page == cli.run("merge", *reversed(paths)).expect(0).out
    for width in (60, 80, 120):
        lines = cli.run("merge", *paths, "--width", str(width)).expect(0).out.splitlines()
        assert max(map(len, lines)) <= width
    assert cli.run("merge", *paths, env={"LANG": "C"}).expect(0).out.isascii()


def test_merge_figures(cli):
    paths = job(cli, [1500, 2500])
    merged = figures(cli, paths)
    assert merged["size"] == 2 and merged["missing"] == [] and len(merged["ranks"]) == 2
    for path, rank in zip(paths, merged["ranks"]):
        device = load(path)["steady"]["devices"][0]
        for key in ("window_ns", "compute_ns", "copy_only_ns", "idle_ns"):
            assert rank[key] == device[key], key
        assert rank["report"] == path
    assert [r["step_ns"] for r in merged["ranks"]] == [10000000, 11000000]
    cli.run("merge", *paths, "--json", cli.path("job.json")).expect(0)
    assert load(cli.path("job.json")) == merged


def test_merge_missing_ranks(cli):
    paths = job(cli, [1500, 1500], size=4)
    page = cli.run("merge", *paths).expect(0).out
    assert "2 of 4 ranks: 2, 3" in page
    assert "SLOWEST" in page and "none" in page
    assert figures(cli, paths)["missing"] == [2, 3]
    assert "rank 0 is there more than once" in cli.run("merge", paths[0], *paths).expect(0).out


def test_merge_waiting_in_collectives(cli):
    """A rank's waiting is its collective kernels' time beyond the shortest rank's."""
    paths = job(cli, [1500, 1500, 1500])
    for path, total in zip(paths, (90000000, 30000000, 80000000)):
        report = load(path)
        communication(report, total)
        save(path, report)
    merged = figures(cli, paths)
    assert [r["waiting_at_least_ns"] for r in merged["ranks"]] == [60000000, 0, 50000000]
    assert merged["slowest"]["rank"] == 1
    page = cli.run("merge", *paths).expect(0).out
    assert "rank 1" in page and "the others wait for it" in page
    report = load(paths[0])
    for scope in (report, report["steady"]):
        scope["devices"][0]["kernels"][-1]["calls"] = 99
    save(paths[0], report)
    assert "did not run equally often" in cli.run("merge", *paths).expect(0).out
    assert {r["waiting_at_least_ns"] for r in figures(cli, paths)["ranks"]} == {0}


def test_merge_bad_files(cli):
    paths = job(cli, [1500, 1500])
    bad = write(cli.path("bad.json"), b"{}")
    result = cli.run("merge", bad, *paths).expect(2, "bad.json")
    assert "2 ranks" in result.out
    assert cli.run("merge", bad).expect(2, "bad.json").out == ""
    cli.run("merge").expect(1, "REPORT")
    cli.run("merge", *paths, "-o", "no/such/page").expect(4, "no/such/page")


def test_merge_thousand(cli):
    """As many reports as a large job has: all are taken in, one is missing, one is slow."""
    template = load(job(cli, [1500], size=1000)[0])
    paths = []
    for rank in range(1000):
        if rank == 417:
            continue
        report = dict(template)
        report["process"] = dict(template["process"], rank=f"{rank}/1000", hostname=f"node{rank // 8}")
        if rank == 700:
            report = copy.deepcopy(report)
            report["steps"]["total_ns"] *= 2
            device = report["steady"]["devices"][0]
            device["idle_ns"] += 200000000
            device["window_ns"] += 200000000
            for cause in device["causes"][:1]:
                cause["idle_ns"] += 200000000
        paths.append(cli.path(f"rank{rank}.json"))
        save(paths[-1], report)
    begin = time.monotonic()
    page = cli.run("merge", *paths).expect(0).out
    print(f"999 reports in {time.monotonic() - begin:.1f} s")
    assert "999 ranks on 125 hosts" in page and "1 of 1000 ranks: 417" in page
    assert "rank 700 on node87" in page and "slowest of 999" in page
    assert len(page.splitlines()) < 80
    assert len(cli.run("merge", *paths, "--all").expect(0).out.splitlines()) > 999
    assert len(read(paths[0])) > 1000
