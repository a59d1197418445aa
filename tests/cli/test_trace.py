"""gapscope replay --trace, show --html and env."""
import gzip
import json

from cli import load, read, write


def trace_of(path):
    with gzip.open(path) as file:
        return json.load(file)


def test_trace_of_a_recording(cli):
    recording, _ = cli.record("a.gsrec", "--steps", "40")
    path = cli.path("t.json.gz")
    cli.run("replay", recording, "-q", "--trace", path, "--report", cli.path("r.json")).expect(0)
    trace = trace_of(path)
    device = load(cli.path("r.json"))["devices"][0]
    kernels = [e for e in trace["traceEvents"] if e.get("cat") == "kernel"]
    assert sum(round(e["dur"] * 1000) for e in kernels) == device["kernel_sum_ns"]
    gaps = [e for e in trace["traceEvents"] if e.get("cat") == "gpu_idle"]
    assert sum(round(e["dur"] * 1000) for e in gaps) == device["idle_ns"]
    assert {e["name"] for e in gaps} <= {c["cause"] for c in device["causes"]}
    # Plain where the name says so, with the same events.
    cli.run("replay", recording, "-q", "--trace", cli.path("t.json")).expect(0)
    assert load(cli.path("t.json")) == trace


def test_trace_limit(cli):
    path = cli.path("t.json")
    done = cli.run("replay", "-q", "--trace", path, "--trace-limit", "1MiB")
    done.expect(0, "the trace stopped at its limit of 1048576 bytes")
    assert len(read(path)) <= 1 << 20
    assert load(path)["gapscope"]["stopped_at_limit"] is True
    cli.run("replay", "-q", "--trace", path, "--trace-limit", "1KiB").expect(1, "1MiB")
    cli.run("replay", "-q", "--trace", cli.path("no/t.json")).expect(4, "no/t.json")


def test_show_html(cli):
    path, report = cli.report("a")
    page = cli.run("show", "--html", path).expect(0).out
    assert page.startswith("<!doctype html>")
    data = page.split('id="data">')[1].split("</script>")[0]
    assert json.loads(data)["report"] == report
    cli.run("show", "--html", path, "-o", cli.path("p.html")).expect(0)
    assert read(cli.path("p.html")).decode() == page
    cli.run("replay", path[:-5] + ".gsrec", "-q", "--html", cli.path("q.html")).expect(0)
    assert '"report":' in read(cli.path("q.html")).decode()
    cli.run("show", "--html", path, "--csv", "api").expect(1, "excludes")


def test_env(cli):
    path, report = cli.report("a")
    environment = report["process"]["environment"]
    text = cli.run("env", path).expect(0).out
    assert "python train.py" in text
    cli.run("env", path, "--requirements").expect(2, "no list of packages")
    environment["packages"] = [{"name": "torch", "version": "2.11.0", "source": "pip", "build": ""},
                               {"name": "numpy", "version": "1.26", "source": "conda", "build": "h1"}]
    environment["git_revision"] = "0123456789"
    full = write(cli.path("full.json"), json.dumps(report).encode())
    assert "0123456789" in cli.run("env", full).expect(0).out
    assert "torch==2.11.0\n" in cli.run("env", full, "--requirements").expect(0).out
    assert "  - numpy=1.26=h1\n" in cli.run("env", full, "--conda-yaml").expect(0).out
    cli.run("env", full, "--conda-yaml", "--requirements").expect(1, "excludes")
    cli.run("env", "none.json").expect(2, "none.json")
