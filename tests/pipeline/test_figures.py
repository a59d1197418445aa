"""Figures: what the report says of a run equals what the scenario did."""
import oracle
from harness import check, equal, quality, same_figures, sound


# The fake's kernels are one block of one thread with 32 registers and 1 KiB; its devices hold 32
# blocks and 64 warps on each of 132 multiprocessors.
def occupancy(run):
    for device in run.report["devices"]:
        for kernel in device["kernels"]:
            found = kernel["occupancy"]
            equal((found["warps"], found["max_warps"], found["limiter"]), (32, 64, "blocks"), kernel["name"])
            check(abs(found["waves"] * 32 * 132 - 1) < 1e-9, f"{kernel['name']}: {found['waves']} waves")


def test_basic(p):
    run = p.run("basic")
    sound(p, run, "basic")
    same_figures(run)
    quality(run)
    occupancy(run)
    equal(run.report["records"]["seen"], len(oracle.operations(run.truth)), "records.seen")
    equal(run.report["process"]["cupti_path"], p.cupti(13), "cupti_path")
    check("130001" in run.report["process"]["cupti_version"], "cupti_version")
    check(run.lines("gapscope"), "no page on stderr")


def test_basic_cupti_12(p):
    run = p.run("basic", cupti=12)
    sound(p, run, "basic")
    same_figures(run)
    quality(run)
    occupancy(run)
    check("26" in run.report["process"]["cupti_version"], "cupti_version")


# pytorch/pytorch#118982, NVIDIA/cuda-python#1572: the copy that the process has already is taken.
def test_cupti_mapped_by_the_program(p):
    run = p.run("basic", mapped=True)
    sound(p, run, "basic")
    same_figures(run)
    quality(run)
    equal(run.report["process"]["cupti_path"], p.cupti(13), "cupti_path")


def test_cupti_mapped_wins_over_the_variable(p):
    run = p.run("basic", cupti=12, mapped=True, env={"GAPSCOPE_CUPTI_PATH": p.cupti(13)})
    sound(p, run, "basic")
    same_figures(run)
    equal(run.report["process"]["cupti_path"], p.cupti(12), "cupti_path")


def test_cupti_11_layout(p):
    run = p.run("basic", cupti=12, env={"FAKE_CUPTI_VERSION": 18})
    sound(p, run, "basic")
    same_figures(run)
    quality(run)


def test_threads(p):
    run = p.run("threads", "--threads", 4, "--operations", 500)
    sound(p, run, "threads")
    same_figures(run)
    quality(run)


def test_threads_64(p):
    run = p.run("threads", "--threads", 64, "--operations", 100)
    sound(p, run, "threads")
    same_figures(run)
    quality(run)


# More threads within a few milliseconds than there are rings: what finds none is counted.
def test_threads_come_and_go(p):
    run = p.run("many_threads", "--threads", 3000, "--operations", 3)
    sound(p, run, "many_threads")
    records = run.report["records"]
    called = sum(c["count"] for c in run.truth["calls"].values())
    equal(records["calls"] + records["dropped_ring"], called, "calls kept and dropped = calls made")
    equal(records["seen"], len(run.truth["operations"]), "records.seen")
    # 64 MiB of rings, and the fields beside each.
    check(run.report["self"]["ring_bytes"] < 65 << 20, f"memory of rings: {run.report['self']}")


# The same slowly: rings of ended threads are drained and taken over, nothing is lost.
def test_threads_one_after_another(p):
    run = p.run("many_threads", "--threads", 300, "--operations", 20, "--thread-pause-us", 1000)
    sound(p, run, "many_threads")
    same_figures(run)
    quality(run)


# pytorch/kineto#1354: records may come in any order.
def test_out_of_order(p):
    for delivery in ("worker", "flush", "launch"):
        run = p.run("basic", "--operations", 1500,
                    env={"FAKE_CUPTI_SHUFFLE": 11, "FAKE_CUPTI_DELIVERY": delivery,
                         "GAPSCOPE_BUFFER_SIZE": "64KiB"})
        sound(p, run, "basic")
        same_figures(run)
        quality(run)


# The join's key is 32 bits wide.
def test_correlation_wraps(p):
    run = p.run("basic", env={"FAKE_CUPTI_FIRST_CORRELATION": 0xffffffff - 100})
    sound(p, run, "basic")
    same_figures(run)
    quality(run)


def test_two_devices(p):
    run = p.run("two_devices")
    sound(p, run, "two_devices")
    same_figures(run)
    quality(run)
    occupancy(run)


# kineto#136: kernels of one stream overlap under programmatic dependent launch.
def test_overlapping_on_one_stream(p):
    run = p.run("overlapping")
    sound(p, run, "overlapping")
    same_figures(run)
    quality(run)
    device = run.report["devices"][0]
    check(device["kernel_sum_ns"] > device["compute_ns"], "the kernels overlap")


# NVIDIA/nccl#470: communication is never shown as useful work.
def test_communication(p):
    run = p.run("communication")
    sound(p, run, "communication")
    same_figures(run)
    quality(run)
    device = run.report["devices"][0]
    check(device["comm_exposed_ns"] > 0 and device["comm_overlap_ns"] > 0, "both kinds appear")


def test_captured(p):
    run = p.run("captured")
    sound(p, run, "captured")
    same_figures(run)
    quality(run, captured=200)


# TraceLens#728, tracy#1318: nodes of a graph, and the same graph as a whole.
def test_graphs(p):
    run = p.run("graphs")
    sound(p, run, "graphs")
    same_figures(run)
    quality(run, captured=40)
    equal(run.report["devices"][0]["graph_granular_ns"], 0, "graph_granular_ns")


def test_graphs_whole(p):
    run = p.run("graphs", env={"GAPSCOPE_GRAPHS": "graph"})
    sound(p, run, "graphs")
    quality(run, captured=40)
    device = run.report["devices"][0]
    ops = oracle.operations(run.truth)
    for key in ("window_ns", "compute_ns", "idle_ns"):
        equal(device[key], oracle.split(ops)[key], key)
    graphs = [(o["start_ns"], o["end_ns"]) for o in ops if o["kind"] == "graph"]
    equal(len(graphs), 200, "graph launches")
    equal(device["graph_granular_ns"], oracle.measure(graphs), "graph_granular_ns")


# kineto#1062: kernels that no call announces are counted all the same.
def test_device_launched(p):
    run = p.run("device_launched")
    sound(p, run, "device_launched")
    same_figures(run)
    quality(run, orphaned=200)


def test_failed_and_empty_calls(p):
    run = p.run("failed_calls")
    sound(p, run, "failed_calls")
    same_figures(run)
    quality(run, failed=200)


def test_range(p):
    run = p.run("range", env={"GAPSCOPE_CAPTURE": "range"})
    sound(p, run, "range")
    quality(run)
    device = run.report["devices"][0]
    ops = oracle.operations(run.truth)
    wanted = oracle.split(ops)
    for key in ("compute_ns", "copy_only_ns", "operations"):
        equal(device[key], wanted[key], key)
    equal({k["full_name"]: (k["calls"], k["total_ns"], k["min_ns"], k["max_ns"])
           for k in device["kernels"]}, oracle.kernels(ops), "kernels")
    outside = len(oracle.operations(run.truth, counted=False)) - len(ops)
    equal(run.report["records"]["outside"], outside, "records.outside")
