"""gapscope show: the page again, single values, CSV, and files that are no reports."""
import csv
import io
import json

from cli import read, write


def test_show_page(cli):
    path, _ = cli.report("a")
    page = cli.run("show", path).expect(0).out
    assert "python train.py" in page
    assert page.splitlines()[1:] == cli.run("replay", path[:-5] + ".gsrec").out.splitlines()[1:]
    cli.run("show", path, "-o", cli.path("page")).expect(0)
    assert read(cli.path("page")).decode() == page


def test_show_json(cli):
    path, report = cli.report("a")
    assert json.loads(cli.run("show", path, "--json", "").expect(0).out) == report
    assert cli.run("show", path, "--json", "schema_version").expect(0).out == "1\n"
    assert cli.run("show", path, "--json", "process.command").expect(0).out == "python train.py\n"
    two = cli.run("show", path, "--json", "devices[0].window_ns", "--json", "process.rank")
    assert two.expect(0).out == f"{report['devices'][0]['window_ns']}\n{report['process']['rank']}\n"
    cli.run("show", path, "--json", "process.nothing").expect(1, "no 'nothing' in process")


def test_show_csv(cli):
    path, _ = cli.report("a", "--steps", "30")
    rows = list(csv.DictReader(io.StringIO(cli.run("show", path, "--csv", "kernels").expect(0).out)))
    assert [r["Name"] for r in rows] == ["kernel_b(float*)", "kernel_a(float*)"]
    assert [int(r["Instances"]) for r in rows] == [30, 30]
    assert [int(r["Total Time (ns)"]) for r in rows] == [30 * 4000000, 30 * 3000000]
    for table in ("copies", "api"):
        assert cli.run("show", path, "--csv", table).expect(0).out.count("\n") >= 2
    cli.run("show", path, "--csv", "cats").expect(1, "--csv")
    cli.run("show", path, "--csv", "api", "--json", "x").expect(1, "excludes")


def test_show_bad_files(cli):
    path, report = cli.report("a")
    text = read(path)
    cli.run("show", "none.json").expect(2, "none.json")
    cli.run("show", ".").expect(2, ".")
    cli.run("show", write(cli.path("empty.json"), b"")).expect(2, "empty.json")
    cli.run("show", write(cli.path("other.json"), b'{"a": 1}')).expect(2, "other.json")
    cli.run("show", write(cli.path("cut.json"), text[:len(text) // 2])).expect(2, "cut.json")
    cli.run("show", path[:-5] + ".gsrec").expect(2, "a.gsrec")
    report["schema_version"] = 99
    newer = write(cli.path("newer.json"), json.dumps(report).encode())
    cli.run("show", newer).expect(2, "99")
