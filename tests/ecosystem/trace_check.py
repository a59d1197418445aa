"""HolisticTraceAnalysis on our traces: its kernel and idle figures are those of our report.

trace_check.py GAPSCOPE SOURCE WORK"""
import glob
import json
import os
import subprocess
import sys

os.environ.setdefault("HTA_DISABLE_NS_ROUNDING", "1")  # HTA rounds to microseconds otherwise
from hta.trace_analysis import TraceAnalysis  # noqa: E402


def replay(gapscope, recording, work):
    """The report and the trace of a recording, both of everything that is in it."""
    name = os.path.basename(recording)[:-len(".gsrec")]
    trace = os.path.join(work, name + ".json.gz")
    done = subprocess.run([gapscope, "replay", recording, "--capture", "all", "--report", "-",
                           "--trace", trace], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout), trace


def near(ours_ns, theirs_us, what, recording):
    # Times have three decimals, but HTA adds them up as doubles.
    assert abs(ours_ns / 1000 - theirs_us) <= 1 + ours_ns / 1000 * 1e-6, \
        f"{recording}: {what}: ours {ours_ns / 1000} us, HTA {theirs_us} us"


def check(gapscope, recording, work):
    report, path = replay(gapscope, recording, work)
    assert len(report["devices"]) == 1 and report["records"]["unmatched"] == 0
    device = report["devices"][0]
    # Without the option HTA leaves the last step out where there are marked steps.
    analysis = TraceAnalysis(trace_files={0: path}, trace_dir=work,
                             include_last_profiler_step=True)

    times = analysis.get_temporal_breakdown(visualize=False).iloc[0]
    near(device["idle_ns"], times["idle_time(us)"], "idle", recording)
    near(device["compute_ns"], times["compute_time(us)"], "compute", recording)
    near(device["window_ns"], times["kernel_time(us)"], "window", recording)

    trace = analysis.t.get_trace(0)
    symbols = analysis.t.symbol_table.get_sym_table()
    kernels = trace[trace["cat"].map(lambda c: symbols[c] == "kernel")]
    totals = {}
    for kernel in device["kernels"]:
        known = totals.setdefault(kernel["full_name"], [0, 0])
        known[0] += kernel["total_ns"]
        known[1] += kernel["calls"]
    assert len(kernels) == sum(calls for _, calls in totals.values())
    for name, group in kernels.groupby(kernels["name"].map(lambda n: symbols[n])):
        near(totals[name][0], float(group["dur"].sum()), name, recording)
        assert totals[name][1] == len(group), name
    assert len(totals) == kernels["name"].nunique()

    # HTA joins calls and kernels by our correlation ids; of a graph's kernels it joins none.
    launches = analysis.get_cuda_kernel_launch_stats(ranks=[0], visualize=False)[0]
    single = int((kernels["correlation"].value_counts() == 1).sum())
    assert len(launches) > 0.9 * single, f"{len(launches)} launches of {single} kernels"
    print(f"{os.path.basename(recording)}: idle {device['idle_ns'] / 1e6:.3f} ms, HTA "
          f"{times['idle_time(us)'] / 1000:.3f} ms; {len(kernels)} kernels of {len(totals)} names")


def main():
    gapscope, source, work = sys.argv[1:]
    for recording in [os.path.join(source, "samples/demo.gsrec"),
                      *sorted(glob.glob(os.path.join(source, "tests/data/causes/*.gsrec")))]:
        check(gapscope, recording, work)


if __name__ == "__main__":
    main()
