"""gapscope replay: figures, options, and files that are not whole recordings."""
import json
import os

from cli import load, read, write


def device(report):
    assert len(report["devices"]) == 1
    return report["devices"][0]


def test_replay_figures(cli):
    recording, truth = cli.record("a.gsrec", "--steps", "40")
    page = cli.run("replay", recording, "--report", cli.path("r.json")).expect(0).out
    assert "python train.py" in page and "4711" in page and "kernel_b" in page
    report = load(cli.path("r.json"))
    for key in ("window_ns", "compute_ns", "copy_only_ns", "idle_ns"):
        assert device(report)[key] == truth[key], (key, device(report), truth)
    kernels = device(report)["kernels"]
    assert [k["name"] for k in kernels] == ["kernel_b", "kernel_a"]
    assert sum(c["bytes"] for c in report["copies"]) == truth["bytes"]


def test_replay_is_the_same_each_time(cli):
    recording, _ = cli.record("a.gsrec")
    first = cli.run("replay", recording, "--report", "-").expect(0).out
    assert cli.run("replay", recording, "--report", "-").expect(0).out == first
    json.loads(first)


def test_replay_page_options(cli):
    recording, _ = cli.record("a.gsrec")
    for width in (60, 80, 120):
        page = cli.run("replay", recording, "--width", str(width)).expect(0).out
        assert max(map(len, page.splitlines())) <= width, width
    assert "\x1b[" not in cli.run("replay", recording).expect(0).out
    assert "\x1b[" in cli.run("replay", recording, "--color", "always").expect(0).out
    assert "\x1b[" in cli.run("replay", recording, env={"GAPSCOPE_COLOR": "always"}).expect(0).out
    assert "\x1b[" not in cli.run("replay", recording, "--color", "never",
                                  env={"GAPSCOPE_COLOR": "always"}).expect(0).out
    assert cli.run("replay", recording, env={"LANG": "C"}).expect(0).out.isascii()
    assert cli.run("replay", recording, "-q").expect(0).out == ""
    cli.run("replay", recording, "-o", cli.path("page.txt")).expect(0)
    assert read(cli.path("page.txt")).decode() == cli.run("replay", recording).out


def test_replay_capture(cli):
    """The live run's capture comes from the recording; --capture overrides it."""
    recording, _ = cli.record("a.gsrec", "--steps", "40", "--capture", "steps:10-19")
    cli.run("replay", recording, "-q", "--report", cli.path("own.json")).expect(0)
    cli.run("replay", recording, "-q", "--report", cli.path("all.json"), "--capture", "all").expect(0)
    calls = lambda name: sum(k["calls"] for k in device(load(cli.path(name)))["kernels"])
    assert calls("own.json") == 20
    assert calls("all.json") == 80


def test_replay_unfinished(cli):
    """A process that was killed: no last words, no end mark."""
    recording, truth = cli.record("a.gsrec", "--steps", "40", "--unfinished")
    cli.run("replay", recording, "-q", "--report", cli.path("r.json")).expect(0)
    report = load(cli.path("r.json"))
    assert device(report)["window_ns"] == truth["window_ns"]
    assert report["truncated"] is True and report["warnings"]


def test_replay_cut_off(cli):
    recording, truth = cli.record("a.gsrec", "--steps", "4000")
    whole = read(recording)
    cut = write(cli.path("cut.gsrec"), whole[:len(whole) * 2 // 3])
    result = cli.run("replay", cut, "--report", cli.path("r.json")).expect(2, "cut off")
    assert "cut.gsrec" in result.err and "python train.py" in result.out
    report = load(cli.path("r.json"))
    assert report["truncated"] is True
    assert any("cut off" in w for w in report["warnings"])
    assert 0 < device(report)["window_ns"] < truth["window_ns"]
    parts = ("compute_ns", "comm_exposed_ns", "copy_only_ns", "idle_ns", "unknown_ns")
    assert device(report)["window_ns"] == sum(device(report)[p] for p in parts)


def test_replay_bad_files(cli):
    recording, _ = cli.record("a.gsrec")
    whole = bytearray(read(recording))
    cli.run("replay", "none.gsrec").expect(2, "none.gsrec")
    cli.run("replay", ".").expect(2, "directory")
    cli.run("replay", write(cli.path("empty"), b"")).expect(2, "empty")
    cli.run("replay", write(cli.path("text"), b"hello\n")).expect(2, "not a gapscope recording")
    cli.run("replay", cli.gapscope).expect(2, "not a gapscope recording")
    newer = bytearray(whole)
    newer[6] = 9
    cli.run("replay", write(cli.path("newer"), newer)).expect(2, "newer gapscope")
    damaged = bytearray(whole)
    damaged[len(whole) // 2] ^= 0x10
    result = cli.run("replay", write(cli.path("damaged"), damaged)).expect(2, "damaged")
    assert result.out == "" and "damaged:" in result.err


def test_replay_output_errors(cli):
    recording, _ = cli.record("a.gsrec")
    cli.run("replay", recording, "--report", "no/such/r.json").expect(4, "no/such/r.json")
    cli.run("replay", recording, "-o", "no/such/page").expect(4, "no/such/page")


def test_replay_demo(cli):
    """Without a file: the shipped recording, or a clear word where there is none."""
    demo = os.path.join(cli.source, "samples/demo.gsrec")
    result = cli.run("replay")
    if not os.path.exists(demo):
        result.expect(2, "without the demo recording")
        return
    assert result.expect(0).out == cli.run("replay", demo).expect(0).out
    assert "GPU 0" in result.out


def test_replay_format_1(cli):
    """The first recordings stay readable, to the same figures."""
    old = os.path.join(cli.source, "tests/data/recording_v1.gsrec")
    cli.run("replay", old, "-q", "--report", cli.path("r.json")).expect(0)
    d = device(load(cli.path("r.json")))
    figures = {k: d[k] for k in ("window_ns", "compute_ns", "copy_only_ns", "idle_ns", "operations")}
    assert figures == {"window_ns": 198500000, "compute_ns": 140000000, "copy_only_ns": 20000000,
                       "idle_ns": 38500000, "operations": 60}, figures
