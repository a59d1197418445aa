"""A program with `import gapscope` in it: module_program.py LIBRARY HOW OPERATIONS STEPS, run by test_python_module.py.

Prints what the module said as one JSON line.
"""
import ctypes
import json
import os
import sys

BEFORE = {name: os.environ.get(name) for name in ("CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH")}
import gapscope  # noqa: E402  pylint: disable=wrong-import-position

OPERATIONS, STEPS = map(int, sys.argv[3:5])


def work(library):
    ctypes.CDLL(library).fake_program(OPERATIONS)


def refusal(function):
    """Why it raised."""
    try:
        function()
    except RuntimeError as error:
        return str(error)
    return None


@gapscope.range("decorated")
def nested(library, depth):
    if depth:
        nested(library, depth - 1)
    else:
        work(library)


def marks(library, out):
    for _ in range(STEPS):
        with gapscope.range("forward"):
            work(library)
        gapscope.step()
    nested(library, 2)
    try:
        with gapscope.range("fails"):
            work(library)
            raise KeyError("scripted")
    except KeyError:
        out["raised"] = True


def reports(library, out):
    out["before"] = refusal(gapscope.report)
    work(library)
    out["recording"] = gapscope.recording()
    report = gapscope.report()
    out.update(seen=report["records"]["seen"], end_ns=report["process"]["end_ns"], repr=repr(report),
               html=report._repr_html_(), text=report.text(80))
    report.save("saved.json")
    out["same"] = gapscope.read_report("saved.json") == report
    work(library)
    out["stopped"] = gapscope.stop()
    whole = gapscope.report()
    out.update(whole_seen=whole["records"]["seen"], whole_end_ns=whole["process"]["end_ns"],
               still=gapscope.recording(), again=gapscope.stop())
    whole.print()


def start_and_stop(library, out):
    out["started"] = gapscope.start(report="mine.json", quiet=True)
    out["recording"] = gapscope.recording()
    work(library)
    out["stopped"] = gapscope.stop()
    out["mine"] = gapscope.read_report("mine.json")["records"]["seen"]


def counted_ranges(library, out):
    work(library)
    for _ in range(2):
        out["started"] = gapscope.start()
        work(library)
        out["stopped"] = gapscope.stop()
    work(library)


def without(library, out):
    """Nothing records, and nobody notices."""
    marks(library, out)
    out["started"] = gapscope.start()
    out["stopped"] = gapscope.stop()
    out["report"] = refusal(gapscope.report)


def started_already(_, out):
    """As a program in which torch had started CUDA by then; see test_python_module.py."""
    out["loaded"] = "torch.cuda" in sys.modules


def main():
    library, how = sys.argv[1:3]
    out = {"variables": {name: os.environ.get(name) for name in BEFORE}, "before_import": BEFORE,
           "file": gapscope.__file__}
    globals()[how](library, out)
    print("JSON " + json.dumps(out), flush=True)


if __name__ == "__main__":
    main()
