"""Programs of ours whose counts are known exactly, the samples, recordings and replay."""
import json
import os
import re
import subprocess

import reports
from harness import python


def run(context):
    context.each("launch_threads", launch_threads)
    context.each("launch_threads, small rings", small_rings)
    context.each("graph_run", graph_run)
    context.each("graph_run, whole graphs", graph_run_whole)
    context.each("copies", copies)
    context.each("linked_injected", linked_injected)
    context.each("context_destroyed", context_destroyed)
    context.each("occupancy", occupancy)
    context.each("cpp_train", cpp_train)
    context.each("train.py", train_py)
    context.each("record and replay", record_replay)
    context.each("disabled", disabled)
    context.each("nvml", nvml)


def pair(context, name, argv, profiled_argv=None, **extra):
    """Runs argv without the library and with it: what it prints and its exit code must be equal."""
    bare = context.run(f"{name} without the library", argv, False)
    child, report = context.profile(name, profiled_argv or argv, **extra)
    same = (child.stdout, child.ending) == (bare.stdout, bare.ending)
    context.check(f"{name}: stdout and exit code", same and bare.status == 0,
                  f"{child.ending}, {len(child.stdout)} bytes", f"{bare.ending}, {len(bare.stdout)} bytes",
                  "identical" if child.stdout == bare.stdout else "stdout differs")
    return child, report


def counts(child):
    return json.loads(child.stdout)


def launch_threads(context, name):
    child, report = pair(context, name, [context.built("launch_threads"), "--threads", "4"])
    if reports.check_sound(context, name, report):
        wanted = counts(child)["kernels"]
        context.equal(f"{name}: kernels", reports.kernel_count(report, "empty_kernel"), wanted)
        context.equal(f"{name}: all kernels", reports.kernel_count(report), wanted)
        context.equal(f"{name}: launches", reports.calls(report, "launch"), wanted)


def small_rings(context, name):
    """Rings too small for the rate: what was offered is what was consumed plus what was dropped."""
    argv = [context.built("launch_threads"), "--threads", "4"]
    _, whole = context.profile(f"{name}: as usual", argv)
    child, small = context.profile(name, argv, GAPSCOPE_RING_SIZE="64KiB")
    if whole is None or small is None:
        context.check(f"{name}: reports", False, "missing", "two")
        return
    reports.check_sound(context, name, small, quality_matters=False)
    context.equal(f"{name}: kernels", reports.kernel_count(small), counts(child)["kernels"],
                  "device records do not go through the rings")
    offered = small["records"]["calls"] + small["records"]["dropped_ring"]
    whole_offered = whole["records"]["calls"] + whole["records"]["dropped_ring"]
    context.equal(f"{name}: consumed + dropped calls", offered, whole_offered,
                  f"{small['records']['dropped_ring']} dropped")


def graph_run(context, name):
    child, report = pair(context, name, [context.built("graph_run")])
    if not reports.check_sound(context, name, report):
        return
    wanted, copied = counts(child), reports.copies(report)
    context.equal(f"{name}: node kernels", reports.kernel_count(report, "node_kernel"), wanted["node_kernels"])
    context.equal(f"{name}: eager kernels", reports.kernel_count(report, "eager_kernel"),
                  wanted["eager_kernels"])
    context.equal(f"{name}: sets", copied.get(("set", "", ""), (0,))[0], wanted["sets"])
    context.equal(f"{name}: copies in the graph", copied.get(("DtoD", "device", "device"), (0,))[0],
                  wanted["dtod_copies"])
    context.equal(f"{name}: captured", report["records"]["captured"], wanted["captured"])
    context.equal(f"{name}: graph launches", reports.calls(report, "graph launch"), wanted["replays"])


def graph_run_whole(context, name):
    child, report = pair(context, name, [context.built("graph_run")], GAPSCOPE_GRAPHS="graph")
    if not reports.check_sound(context, name, report):
        return
    wanted = counts(child)
    context.equal(f"{name}: node kernels", reports.kernel_count(report, "node_kernel"), 0)
    context.equal(f"{name}: eager kernels", reports.kernel_count(report, "eager_kernel"),
                  wanted["eager_kernels"])
    whole = reports.kernel_count(report) - wanted["eager_kernels"]
    context.equal(f"{name}: graphs", whole, wanted["replays"], "entries that are neither kernel")
    granular = sum(d["graph_granular_ns"] for d in report["devices"])
    context.check(f"{name}: graph-granular time", granular > 0, f"{granular} ns", "more than 0")


def copies(context, name):
    child, report = pair(context, name, [context.built("copies")])
    if reports.check_sound(context, name, report):
        compare_copies(context, name, counts(child), report)


def compare_copies(context, name, wanted, report):
    ours = reports.copies(report)
    for c in wanted["copies"]:
        key = (c["direction"], c["source"], c["destination"])
        label = " ".join(filter(None, key))
        context.equal(f"{name}: {label}", ours.pop(key, (0, 0)), (c["count"], c["bytes"]), "count, bytes")
    context.check(f"{name}: nothing else", not ours, ours or "nothing", "nothing")


def occupancy(context, name):
    """Theoretical occupancy and waves of each launch, against the CUDA runtime's own words."""
    child, report = pair(context, name, [context.built("occupancy")])
    if not reports.check_sound(context, name, report):
        return
    wanted = counts(child)
    for launch in wanted["launches"]:
        label = (f"{name}: {launch['kernel']} {launch['block']} threads, {launch['registers']} registers, "
                 f"{launch['dynamic_bytes']} bytes, carveout {launch['carveout']}, "
                 f"clusters of {launch['cluster_blocks']}")
        found = [k for k in reports.kernels(report) if launch["kernel"] in k["full_name"]]
        if len(found) != 1 or not found[0]["occupancy"]:
            context.check(label, False, f"{len(found)} kernels, {found and found[0]['occupancy']}", "one, known")
            continue
        ours = found[0]["occupancy"]
        context.equal(f"{label}: warps, of", (ours["warps"], ours["max_warps"]),
                      (launch["blocks_per_sm"] * launch["warps_per_block"], wanted["max_warps"]), ours["limiter"])
        resident = launch["blocks_per_sm"] * wanted["multiprocessors"]
        if launch["active_clusters"]:
            resident = min(resident, launch["active_clusters"] * launch["cluster_blocks"])
        context.check(f"{label}: waves", abs(ours["waves"] - launch["blocks"] / resident) < 1e-9,
                      f"{ours['waves']:.4f}", f"{launch['blocks'] / resident:.4f}", ours["limiter"])


def linked_injected(context, name):
    program = context.built("linked_injected")
    # Statuses of gapscope.h: 0 OK, 1 already started.
    for what, injected, order, start in (("linked", False, "linked-first", 0),
                                         ("linked first, injected too", True, "linked-first", 0),
                                         ("injected first", True, "injected-first", 1)):
        label = f"{name}: {what}"
        child, report = context.profile(label, [program, "--order", order], injected=injected)
        context.equal(f"{label}: exit code", child.ending, "exit 0")
        if not reports.check_sound(context, label, report):
            continue
        said = counts(child)
        context.equal(f"{label}: start, again, stop", (said["start"], said["again"], said["stop"]),
                      (start, 1, 0))
        context.equal(f"{label}: kernels", reports.kernel_count(report, "counted_kernel"), said["kernels"])
        steps(context, label, report, said["steps"] - 1)
        pages = len(re.findall(r"^gapscope \d", child.stderr, re.M))
        context.equal(f"{label}: pages printed", pages, 1)


def steps(context, label, report, wanted):
    """wanted: times between two marks."""
    found = report["steps"]
    context.equal(f"{label}: steps", (found["source"], found["count"] + found["warmup_steps"]),
                  ("marked", wanted), f"{found['warmup_steps']} of them warm-up")


def context_destroyed(context, name):
    child, report = pair(context, name, [context.built("context_destroyed")])
    if reports.check_sound(context, name, report):
        context.equal(f"{name}: kernels", reports.kernel_count(report, "driver_kernel"),
                      counts(child)["kernels"])


CPP_KERNELS = {"bias_gelu_kernel": 2, "add_bias_kernel": 1, "gelu_backward_kernel": 2,
               "softmax_cross_entropy_kernel": 1, "column_sums_kernel": 3, "adam_kernel": 6}


def cpp_train(context, name, number=300):
    argv = [context.built("cpp_train"), "--steps", str(number), "--log-every", "20"]
    bare = context.run(f"{name} without the library", argv, False)
    child, report = context.profile(name, argv, injected=False)
    context.check(f"{name}: stdout and exit code", (child.stdout, child.ending) == (bare.stdout, bare.ending)
                  and child.status == 0, child.ending, bare.ending,
                  "identical" if child.stdout == bare.stdout else "stdout differs")
    context.check(f"{name}: loss", "steps: fell" in child.stdout, child.stdout.strip().split("\n")[-1],
                  "a loss that fell")
    if not reports.check_sound(context, name, report):
        return
    steps(context, name, report, number)
    for kernel, times in CPP_KERNELS.items():
        context.equal(f"{name}: {kernel}", reports.kernel_count(report, kernel), times * number)
    copied = reports.copies(report)
    logs = 1 + number // 20
    context.equal(f"{name}: batches copied", copied.get(("HtoD", "pinned", "device")),
                  (2 * number, number * 256 * (64 + 1) * 4), "count, bytes")
    context.equal(f"{name}: losses copied", copied.get(("DtoH", "device", "pinned")),
                  (logs, logs * 256 * 4), "count, bytes")


def train_py(context, name):
    script = os.path.join(context.source, "samples", "train.py")
    child, report = pair(context, name, python(script, "--steps", 60))
    if reports.check_sound(context, name, report):
        context.check(f"{name}: kernels", reports.kernel_count(report) > 60 * 50,
                      reports.kernel_count(report), "more than 50 a step")


def record_replay(context, name):
    """A recording, replayed, is the live report: values and order, `self` aside. It is kept as
    demo.gsrec."""
    script = os.path.join(context.source, "samples", "train.py")
    recording, replayed = context.path("train.gsrec"), context.path("replayed.json")
    child, live = context.profile(name, python(script, "--steps", 60, "--workers", 0),
                                  GAPSCOPE_RECORD=recording)
    context.equal(f"{name}: exit code", child.ending, "exit 0")
    replay = context.run(f"{name}: replay", [context.built("gapscope"), "replay", recording, "--report",
                                             replayed], False, 120)
    context.equal(f"{name}: exit code of replay", replay.ending, "exit 0")
    again = context.load(f"{name}: replay", replayed)
    if live is None or again is None:
        context.check(f"{name}: reports", False, "missing", "live and replayed")
        return
    live.pop("self"), again.pop("self")
    difference = reports.first_difference(live, again)
    context.check(f"{name}: equal", difference is None, difference or "equal", "equal")
    size = os.path.getsize(recording)
    if size <= 1 << 20:
        context.keep("demo.gsrec", recording)
    context.check(f"{name}: size", size > 0, f"{size} bytes", "more than 0",
                  f"{live['records']['seen']} device operations, {live['records']['calls']} calls")


def disabled(context, name):
    child, report = context.profile(name, [context.built("launch_threads"), "--kernels", "100"],
                                    GAPSCOPE_ENABLED="0")
    context.equal(f"{name}: exit code", child.ending, "exit 0")
    context.check(f"{name}: report and stderr", report is None and child.stderr == "",
                  f"{'a' if report else 'no'} report, {len(child.stderr)} bytes", "no report, 0 bytes")


def nvml(context, name):
    """The GPU's limits equal what nvidia-smi says of it; its state lies within them."""
    _, report = context.profile(name, [context.built("launch_threads"), "--threads", "4"])
    if not reports.check_sound(context, name, report):
        return
    gpu = report["process"]["environment"]["gpus"][0]
    state = gpu["nvml"]
    context.check(f"{name}: asked", state is not None, "no answer" if state is None else "answered", "answered")
    if state is None:
        return
    fields = "clocks.max.sm,clocks.max.mem,enforced.power.limit"
    query = subprocess.run(["nvidia-smi", f"--id={gpu['uuid']}", f"--query-gpu={fields}",
                            "--format=csv,noheader,nounits"], capture_output=True, text=True, timeout=60)
    sm_mhz, memory_mhz, limit_w = (float(n) for n in query.stdout.split(","))
    context.equal(f"{name}: most SM clock", state["max_sm_clock_mhz"], sm_mhz, "MHz")
    context.equal(f"{name}: most memory clock", state["max_memory_clock_mhz"], memory_mhz, "MHz")
    context.equal(f"{name}: power limit", state["power_limit_mw"] / 1000, limit_w, "W")
    context.check(f"{name}: SM clock", 0 < state["sm_clock_mhz"] <= sm_mhz, state["sm_clock_mhz"], f"up to {sm_mhz}")
    context.check(f"{name}: power", 0 < state["power_mw"] / 1000 < 1.2 * limit_w, state["power_mw"] / 1000,
                  f"up to {limit_w}")
    context.check(f"{name}: temperature", 10 < state["temperature_c"] < 100, state["temperature_c"], "10 to 100")
    context.check(f"{name}: processes", state["processes"] >= 1, state["processes"], "1 or more")
    context.check(f"{name}: utilisation", 0 <= state["utilisation_pct"] <= 100, state["utilisation_pct"], "0 to 100",
                  f"own {state['own_busy_pct']:.1f} %, since {state['utilisation_since_ns']}")
