"""Each workload case under the library beside the same steps under torch.profiler."""
import json
import os
import re

import reports
import truth as truth_of
import verdicts
from harness import python

# case, steps: enough for stable figures, few enough for the time there is.
CASES = (
    ("small_kernels", 60),
    ("sync_bound", 100),
    ("copy_stripe", 40),
    ("nvtx_train", 60),
    ("loader_stall", 60),
    ("gc_pause", 60),
)
HERE = os.path.dirname(os.path.abspath(__file__))
TRAININGS = (
    ("ResNet-50 training", (os.path.join(HERE, "resnet50_train.py"), "--steps", 40)),
    ("GPT-2 training", (os.path.join(HERE, "gpt2_train.py"), "--steps", 40)),
)
ATTEMPTS = 3  # pairs of runs, when a figure that depends on the clock is off: machines are noisy


def run(context):
    if not os.path.exists(os.path.join(context.cases, "common.py")):
        context.check("cases", False, "no folder of cases", "one", "set CASES")
        return
    for training, argv in TRAININGS:
        context.each(training, one_training, argv)
    for case, steps in CASES:
        reports_of = {}
        for fix in (False, True):
            if fix and case == "nvtx_train":  # its --fix changes nothing
                continue
            context.each(f"{case}{' --fix' if fix else ''}", one_case, case, steps, fix, reports_of)
        if len(reports_of) == 2:
            verdicts.repair(context, case, reports_of[False], reports_of[True], steps)


def one_training(context, name, argv):
    """No truth beside it: does all idle time have a name, and do the steps found agree with its own?"""
    child, report = context.profile(name, python(*argv), 150)
    if not reports.check_sound(context, name, report):
        return
    # What the page shows: the steady state. (Start-up is mostly cuDNN's and the driver's own code.)
    verdicts.unattributed(context, name, report["steady"] or report)
    rate = re.search(r"steps/s ([\d.]+)", child.stdout)
    own_ms = 1e3 / float(rate[1]) if rate else 0.0
    found = report["steps"]
    mean_ms = found["total_ns"] / found["count"] / 1e6 if found["count"] else 0.0
    context.check(f"{name}: steps", rate is not None and abs(mean_ms - own_ms) <= 0.05 * own_ms,
                  f"{mean_ms:.2f} ms, {found['count']} {found['source']}",
                  f"{own_ms:.2f} ms by its own clock, to 5 %")


class Pair:
    """One run under the library and, right after it, one under torch.profiler."""

    def __init__(self, context, name, case, steps, fix):
        script = os.path.join(context.cases, case + ".py")
        common = ["--steps", steps] + (["--fix"] if fix else [])
        # As `gapscope run` sets it: without it no NVTX range is seen.
        self.child, self.report = context.profile(
            f"{name} under the library", python(script, *common), 150, cwd=context.cases,
            GAPSCOPE_CAPTURE="range", NVTX_INJECTION64_PATH=os.path.join(context.build, "libgapscope.so"))
        path = context.path("truth.json")
        self.truth_child = context.run(
            f"{name} --truth", python(script, *common, "--truth", path), False, 240, cwd=context.cases)
        self.truth = None
        if self.truth_child.status == 0 and os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                self.truth = json.load(f)

    @property
    def complete(self):
        return self.report is not None and self.truth is not None

    def sums_off(self):
        """The kernel sums that are further off than allowed, worst first."""
        sums = truth_of.kernel_sums(self.report, self.truth)
        off = [s for s in sums if not s.found or abs(s.off_pct) > truth_of.SUM_TOLERANCE_PCT]
        return sorted(off, key=lambda s: -abs(s.off_pct))

    def busy_right(self):
        busy = truth_of.busy(self.report, self.truth)
        return busy.close or busy.truth_slowed


def one_case(context, name, case, steps, fix, reports_of):
    pair = Pair(context, name, case, steps, fix)
    context.equal(f"{name}: exit code", pair.child.ending, "exit 0")
    context.equal(f"{name}: exit code of the truth", pair.truth_child.ending, "exit 0")
    if not reports.check_sound(context, name, pair.report) or pair.truth is None:
        context.check(f"{name}: compared", False, "one side is missing", "both sides")
        return
    exact(context, name, pair)
    timing(context, name, pair, lambda: Pair(context, name, case, steps, fix))
    page(context, name, pair)
    verdicts.unattributed(context, name, pair.report)
    if case in verdicts.WANTED:
        (verdicts.repaired if fix else verdicts.broken)(context, name, case, pair.report)
        reports_of[fix] = pair.report
    else:
        ranges(context, name, pair.report, steps)
    if case == "small_kernels" and fix:
        captured(context, name, pair)


def exact(context, name, pair):
    """Counts and bytes: equal whatever the machine does. (No case lets threads race for the device.)"""
    context.equal(f"{name}: kernels", reports.kernel_count(pair.report), pair.truth["kernels"])
    ours, expected = truth_of.our_copies(pair.report), truth_of.truth_copies(pair.truth)
    context.check(f"{name}: copies", ours == expected, truth_of.describe_copies(ours),
                  truth_of.describe_copies(expected))


def timing(context, name, pair, again):
    """Sums and busy share. Both come from different runs, so a pair that is off is repeated; the
    note says which attempt is shown."""
    sums_pair, busy_pair = pair, pair
    sums_at = busy_at = 1
    for attempt in range(2, ATTEMPTS + 1):
        if not sums_pair.sums_off() and busy_pair.busy_right():
            break
        if context.seconds_left < 60:
            break
        fresh = again()
        if not fresh.complete:
            break
        if sums_pair.sums_off():
            sums_pair, sums_at = fresh, attempt
        if not busy_pair.busy_right():
            busy_pair, busy_at = fresh, attempt
    show_sums(context, name, sums_pair, sums_at)
    show_busy(context, name, busy_pair, busy_at)


def show_sums(context, name, pair, attempt):
    sums = truth_of.kernel_sums(pair.report, pair.truth)
    off = pair.sums_off()
    worst = off[0] if off else max(sums, key=lambda s: abs(s.off_pct))
    found = "" if worst.found else "not found: "
    context.check(f"{name}: kernel sums", not off, f"worst {worst.ours_us:.0f} us",
                  f"{worst.truth_us:.0f} us within {truth_of.SUM_TOLERANCE_PCT:.0f} %",
                  f"{worst.off_pct:+.2f} %, {len(sums) - len(off)} of {len(sums)} right, "
                  f"{found}{worst.name[:60]}, attempt {attempt}")


def show_busy(context, name, pair, attempt):
    busy = truth_of.busy(pair.report, pair.truth)
    note = busy.note() + ("" if busy.close or not busy.truth_slowed else ", truth slowed")
    context.check(f"{name}: busy", busy.close or busy.truth_slowed, f"{busy.ours_pct:.2f} %",
                  f"{busy.truth_pct:.2f} % within 2 points", f"{note}, attempt {attempt}; "
                  f"{rate(pair.child)} / {rate(pair.truth_child)}")


def rate(child):
    """The median step that the case printed. Its steps/s include torch.profiler's export."""
    match = re.search(r"step ms p50 ([\d.]+)", child.stdout)
    return f"step p50 {match[1]} ms" if match else "no step time"


def page(context, name, pair):
    text = pair.child.stderr
    share = re.search(r"IDLE +([\d.]+) %", text)
    device = max(pair.report["devices"], key=lambda d: d["window_ns"])
    scope = next((d for d in (pair.report.get("steady") or {}).get("devices", [])
                  if d["device"] == device["device"]), device)
    idle = 100.0 * scope["idle_ns"] / scope["window_ns"] if scope["window_ns"] else 0.0
    right = share is not None and abs(float(share[1]) - idle) <= 0.35
    context.check(f"{name}: the page's IDLE", right, share[1] + " %" if share else "no such line",
                  f"{idle:.1f} % as in the report", "a sum of rounded rows")


def ranges(context, name, report, steps):
    """nvtx_train: autograd's thread launches the backward pass; it belongs to the range of the
    thread that waits for it."""
    found = {r["path"]: r for r in report["ranges"]}
    backward, step = found.get("Step/Backward"), found.get("Step")
    right = backward is not None and step is not None and backward["device_union_ns"] > 0 and (
        backward["via_thread"] and step["calls"] == steps)
    text = "no such range" if backward is None else (
        f"{backward['device_union_ns'] / 1e6:.1f} ms on the GPU, {backward['kernels']} kernels")
    context.check(f"{name}: range Step/Backward", right, text, "more than 0, via thread",
                  "" if step is None else f"of {step['kernels']} kernels in {step['calls']} steps")


def captured(context, name, pair):
    """Captured launches leave no record: nothing may wait for one at exit."""
    records = pair.report["records"]
    context.check(f"{name}: captured", records["captured"] > 0 and records["unmatched"] == 0,
                  f"{records['captured']} captured, {records['unmatched']} unmatched", "some, 0")
    script = os.path.join(context.cases, "small_kernels.py")
    bare = context.run(f"{name} without the library", python(script, "--fix", "--steps", 60), False, 150,
                       cwd=context.cases)
    own = pair.report["self"]["exit_ns"] / 1e9
    context.check(f"{name}: no wait at exit", pair.child.tail_s < bare.tail_s + 0.6 and own < 0.6,
                  f"{pair.child.tail_s:.2f} s from last print to end, {own:.3f} s of them ours",
                  f"{bare.tail_s:.2f} s without the library + 0.6")
