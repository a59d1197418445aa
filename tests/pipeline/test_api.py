"""Programs that call the library's C interface."""
import json

import oracle
from harness import check, equal, quality, same_figures, sound

OK, ALREADY, DISABLED, NOT_RUNNING, NO_CUPTI, INVALID, IO_ERROR = range(7)


def load(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def test_steps(p):
    run = p.run("steps", "--operations", 40)
    sound(p, run, "steps")
    same_figures(run)
    quality(run)
    equal(run.truth["values"]["refused"], 0, "marks refused")
    steps = run.report["steps"]
    equal(steps["source"], "marked", "source of the steps")
    # The first mark ends a step whose begin nobody saw.
    check(steps["count"] + steps["warmup_steps"] in (39, 40), f"steps {steps}")
    check(run.report["steady"] is not None, "no steady part")


def test_capture_steps(p):
    run = p.run("steps", "--operations", 40, env={"GAPSCOPE_CAPTURE": "steps:5-14"})
    sound(p, run, "steps")
    quality(run)
    device = run.report["devices"][0]
    equal(device["operations"], 100, "operations of ten steps")
    equal(run.report["records"]["outside"], 300, "operations of the others")


def test_snapshot(p):
    run = p.run("snapshot", "--operations", 20)
    sound(p, run, "snapshot")
    same_figures(run)
    quality(run)
    values = run.truth["values"]
    equal(values["report"], OK, "gapscope_report")
    equal(values["nowhere"], IO_ERROR, "gapscope_report to nowhere")
    equal(values["null"], INVALID, "gapscope_report(NULL)")
    path = run.paths["truth"] + ".snapshot"
    equal(p.holds(path), [], "invariants of the snapshot")
    middle = load(path)
    equal(middle["records"]["seen"], 200, "records of the first half")
    check(middle["complete_until_ns"] > 0, "until when the snapshot is complete")


def test_stop_early(p):
    run = p.run("stop_early")
    sound(p, run, "stop_early")
    quality(run)
    values = run.truth["values"]
    equal([values[k] for k in ("running", "stop", "again", "step", "state")],
          [OK, OK, NOT_RUNNING, NOT_RUNNING, NOT_RUNNING], "statuses")
    equal(run.report["records"]["seen"], 200, "records.seen")
    equal(len(run.lines(" pid ")), 1, "pages")


def test_range_by_api(p):
    run = p.run("range_by_api", env={"GAPSCOPE_CAPTURE": "range"})
    sound(p, run, "range_by_api")
    quality(run)
    equal(run.truth["values"]["stop"], OK, "gapscope_stop")
    ops = oracle.operations(run.truth)
    kernels = {k["full_name"]: (k["calls"], k["total_ns"], k["min_ns"], k["max_ns"])
               for k in run.report["devices"][0]["kernels"]}
    equal(kernels, oracle.kernels(ops), "kernels within the two ranges")
    equal(run.report["records"]["outside"], 400, "operations outside")
