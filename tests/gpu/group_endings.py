"""However the program ends, its output and its exit status stay the same, and it does end."""
import os

import reports
from harness import python

# ending, kernels that a report must hold: a number, ANY for whatever was caught before a crash, or
# None where exit handlers do not run, so that there may be no report at all.
ANY = "any"
ENDINGS = (
    ("return", 1000),
    ("exit", 1000),
    ("quick_exit", 1000),
    ("_exit", None),
    ("abort", None),
    ("exception", None),
    ("thread_exit", ANY),
    ("sigterm", None),
    ("sigkill", None),
    ("fork", 1000),
    ("device_assert", ANY),
    ("illegal_address", ANY),
    ("reset", 1000),
    ("reset_twice", 2000),
    ("running", ANY),
)


def run(context):
    for ending, kernels in ENDINGS:
        context.each(f"ending {ending}", one_ending, ending, kernels)
    context.each("torch, five starts", five_starts)


def one_ending(context, name, ending, kernels):
    argv = [context.built("endings"), ending]
    bare = context.run(f"{name} without the library", argv, False, 30)
    child, report = context.profile(name, argv, 30)
    same = (child.status, child.stdout) == (bare.status, bare.stdout)
    context.check(f"{name}: stdout and exit status",
                  same and f"{ending} after 1000 kernels" in bare.stdout and not child.timed_out,
                  child.ending, bare.ending,
                  f"stdout {'identical' if child.stdout == bare.stdout else repr(child.stdout[:80])}")
    context.check(f"{name}: time to the end", child.tail_s < bare.tail_s + 3.0, f"{child.tail_s:.2f} s",
                  f"{bare.tail_s:.2f} s without the library + 3")
    if kernels is None:
        if report is not None:
            reports.check_sound(context, name, report, quality_matters=False)
        return
    if not reports.check_sound(context, name, report, quality_matters=kernels != ANY):
        return
    counted = reports.kernel_count(report, "counted_kernel")
    if kernels == ANY:  # 1000 had finished before the ending began: those at least are there
        context.check(f"{name}: kernels", counted >= 1000, counted, "at least 1000",
                      f"set aside: {reports.quality(report) or 'nothing'}")
    else:
        context.equal(f"{name}: kernels", counted, kernels)


def five_starts(context, name):
    """PyTorch with threads, forked workers and a busy interpreter lock: no hang, no crash, the exit
    code kept, the whole report each time."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "churn_train.py")
    bare = context.run(f"{name} without the library", python(script), False, 60)
    context.equal(f"{name}: without the library", bare.ending, "exit 0", f"{bare.wall_s:.1f} s")
    seen = set()
    for start in range(5):
        status = 3 if start % 2 else 0
        child, report = context.profile(f"{name}: {start + 1}", python(script, "--status", status), 45)
        context.check(f"{name}: {start + 1}", child.status == status and child.stdout == "steps 8\n",
                      f"{child.ending}, {child.stdout.strip()!r}", f"exit {status}, 'steps 8'",
                      f"{child.wall_s:.1f} s, {child.tail_s:.2f} s from last print to end")
        if reports.check_sound(context, f"{name}: {start + 1}", report):
            seen.add(reports.kernel_count(report))
    context.check(f"{name}: kernels", len(seen) == 1 and min(seen) > 0, sorted(seen), "the same in all")
