"""Trouble: what is lost is counted and never shown as idle; the program goes on."""
import json

import oracle
from harness import check, equal, quality, same_calls, same_figures, sound


def delivered(run):
    return len(oracle.operations(run.truth, fates=("recorded", "late")))


def fates(run, *names):
    return len(oracle.operations(run.truth, fates=names))


def test_cupti_drops(p):
    run = p.run("kernels", "--operations", 2000, env={"FAKE_CUPTI_DROP_EVERY": 50})
    sound(p, run, "kernels")
    equal(fates(run, "dropped"), 40, "dropped by the fake")
    equal(run.report["records"]["dropped_cupti"], 40, "records.dropped_cupti")
    equal(run.report["records"]["seen"], delivered(run), "records.seen")
    same_calls(run)
    # A lost kernel would look like an idle gap: idle never exceeds the truth's, lost ones included.
    everything = oracle.split(oracle.operations(run.truth, fates=("recorded", "dropped")))
    check(run.report["devices"][0]["idle_ns"] <= everything["idle_ns"], "dropped kernels read as idle")
    check(run.report["devices"][0]["unknown_ns"] > 0, "no unknown time")
    check(run.lines("lost") or run.lines("dropped"), "the page does not warn")


# kineto#109, legion#1800, nvidia-resiliency-ext#115, parcagpu#23 (its soak is tests/gpu/group_soak.py).
def test_impossible_times(p):
    for name, fate in (("FAKE_CUPTI_ZERO_EVERY", "zero"), ("FAKE_CUPTI_SENTINEL_EVERY", "sentinel")):
        run = p.run("kernels", "--operations", 1000, env={name: 100})
        sound(p, run, "kernels")
        equal(fates(run, fate), 10, "made by the fake")
        quality(run, invalid=10)
        check(run.report["devices"][0]["unknown_ns"] > 0, "no unknown time")
        equal(run.report["records"]["seen"], delivered(run), "records.seen")
        kernels = {k["full_name"]: (k["calls"], k["total_ns"], k["min_ns"], k["max_ns"])
                   for k in run.report["devices"][0]["kernels"]}
        equal(kernels, oracle.kernels(oracle.operations(run.truth)), "kernels with possible times")


def test_lost_record_is_unknown(p):
    run = p.run("lost_record")
    sound(p, run, "lost_record")
    same_figures(run, unknown=True)
    quality(run, unmatched=1)
    lost = oracle.operations(run.truth, fates=("lost",))[0]
    device = run.report["devices"][0]
    check(device["unknown_ns"] >= lost["end_ns"] - lost["start_ns"], "the lost kernel's time is known")


def test_lost_records_many(p):
    run = p.run("kernels", "--operations", 2000, env={"FAKE_CUPTI_LOSE_EVERY": 100})
    sound(p, run, "kernels")
    quality(run, unmatched=20)
    same_figures(run, unknown=True)


# The exit waits for its record about a second and then goes on.
def test_lost_last_record(p):
    run = p.run("lost_last")
    sound(p, run, "lost_last")
    equal(run.report["records"]["unmatched"], 1, "records.unmatched")


def test_late_record(p):
    run = p.run("late_record")
    sound(p, run, "late_record")
    equal(run.truth["values"]["late"], 1, "held back by the fake")
    records = run.report["records"]
    equal(records["seen"], delivered(run), "records.seen")
    equal(records["unmatched"], 0, "records.unmatched")
    kernels = {k["full_name"]: k["calls"] for k in run.report["devices"][0]["kernels"]}
    equal(kernels, {n: k[0] for n, k in oracle.kernels(oracle.operations(run.truth)).items()}, "kernels")


def test_exit_while_a_kernel_runs(p):
    run = p.run("running_kernel")
    sound(p, run, "running_kernel")
    # Its record comes without an end: neither corrupt nor lost.
    quality(run, incomplete=1)
    equal(run.report["records"]["seen"], 200, "records.seen")
    check(run.lines("1 still running at the end"), f"not on the page: {run.stderr.decode()}")
    # What came before it is known to the nanosecond; the time it runs is in no idle gap.
    kernels = {k["full_name"]: k["calls"] for k in run.report["devices"][0]["kernels"]}
    equal(sum(kernels.values()), 200, f"calls of the finished kernels {kernels}")
    before = oracle.split([o for o in oracle.operations(run.truth)
                           if o["end_ns"] - o["start_ns"] < 1_000_000_000])
    check(run.report["devices"][0]["idle_ns"] <= before["idle_ns"], "the running kernel reads as idle")


# CUPTI withholds a buffer with an incomplete record: what a kernel of seconds holds up is not lost.
def test_long_kernel_holds_up_records(p):
    run = p.run("long_kernel", "--operations", 6000)
    sound(p, run, "long_kernel")
    quality(run)
    same_figures(run)


def test_long_kernel_at_the_end_holds_up_all_records(p):
    run = p.run("running_kernel", "--pause-ms", 2500)
    sound(p, run, "running_kernel")
    quality(run, incomplete=1)
    equal(run.report["devices"][0]["compute_ns"], 200 * 10_000, "compute_ns")


def test_replay_while_a_kernel_runs(p):
    recording = p.file("running.gsrec")
    run = p.run("running_kernel", env={"GAPSCOPE_RECORD": recording})
    sound(p, run, "running_kernel")
    process, path = p.replay(recording)
    equal(process.returncode, 0, f"replay: {process.stderr.decode()}")
    with open(path, encoding="utf-8") as f:
        equal(json.load(f)["records"], run.report["records"], "records of the replay")


# A machine with many GPUs stays in cuInit for seconds: a flush from another thread deadlocks there.
def test_no_flush_before_cuda_is_up(p):
    run = p.run("kernels", "--init-ms", 1500)
    sound(p, run, "kernels")
    same_figures(run)
    quality(run)


# Launches without a single device record: permission, WSL, another tool. Never "idle 100 %".
def test_no_device_records(p):
    run = p.run("kernels", env={"FAKE_CUPTI_LOSE_EVERY": 1, "FAKE_CUPTI_DEVICES": 1})
    sound(p, run, "kernels")
    quality(run, unmatched=200)
    for device in run.report["devices"]:
        equal((device["idle_ns"], device["operations"]), (0, 0), "idle time without any record")
    check(not run.lines("IDLE 100"), "reads as idle")
    check(run.lines("no device records") or run.lines("no GPU operation") or run.lines("no records"),
          f"no line that tells why: {run.stderr.decode()}")


def test_flush_hangs(p):
    for which in ("1", "2", "forced"):
        run = p.run("kernels", env={"FAKE_CUPTI_FLUSH_HANG": which})
        sound(p, run, "kernels")
        check(run.events("flush hangs"), "the flush did not hang")
        check(run.lines("flush"), "no line about the flush")


def test_fatal_error(p):
    run = p.run("fatal")
    sound(p, run, "fatal")
    check(run.report["truncated"], "not marked truncated")
    equal(run.report["records"]["seen"], 200, "records.seen")


def stood_still(p, operations, **env):
    run = p.run("collector_stands_still", "--operations", operations, program="fake_driver_clock", env=env)
    sound(p, run, "collector_stands_still")
    equal(run.truth["values"]["held_up"], 1, "threads held up")
    return run


def test_collector_stands_still(p):
    run = stood_still(p, 2000)
    same_figures(run)
    quality(run)


# The rings overflow meanwhile: the program goes on, and every call is kept or counted.
def test_collector_stands_still_rings_overflow(p):
    run = stood_still(p, 5000, GAPSCOPE_RING_SIZE="16KiB")
    records = run.report["records"]
    called = sum(c["count"] for c in run.truth["calls"].values())
    check(records["dropped_ring"] > 0, "the ring did not overflow")
    equal(records["calls"] + records["dropped_ring"], called, "calls kept and dropped = calls made")
    equal(records["seen"], len(run.truth["operations"]), "records.seen")
    check(run.lines("WARNING") and run.lines(f"{records['dropped_ring']:,} of "), run.stderr.decode())


# The rest of a buffer that CUPTI itself cannot read: how much it held nobody knows.
def test_unreadable_buffer(p):
    run = p.run("kernels", "--operations", 3000,
                env={"FAKE_CUPTI_TORN_BUFFER": 2, "GAPSCOPE_BUFFER_SIZE": "64KiB"})
    sound(p, run, "kernels")
    records = run.report["records"]
    equal(records["dropped_cupti"], 1, "records.dropped_cupti: at least one")
    equal(records["seen"] + records["unmatched"], 3000, "kernels seen or missed")
    check(records["unmatched"] > 50, "the buffer was read")
    check(any("to its end" in w for w in run.report["warnings"]), f"no warning: {run.report['warnings']}")


def test_wrong_clock(p):
    run = p.run("kernels", env={"FAKE_CUPTI_CLOCK_OFFSET_NS": -3_600_000_000_000})
    sound(p, run, "kernels")
    kernels = {k["full_name"]: k["calls"] for k in run.report["devices"][0]["kernels"]}
    equal(kernels, {"saxpy(float, float*, float*, int)": 200}, "device figures are kept")
    check(any("clock" in w for w in run.report["warnings"]), "no warning about the clock")


def stepped(p, seconds):
    """Durations stay right, time adds up, and the page tells of the step."""
    run = p.run("clock_step", "--step-s", seconds, program="fake_driver_clock")
    sound(p, run, "clock_step")
    equal(run.report["records"]["seen"], 400, "records.seen")
    equal(run.report["records"]["invalid"], 0, "records.invalid")
    kernels = {k["full_name"]: (k["calls"], k["total_ns"], k["min_ns"], k["max_ns"])
               for k in run.report["devices"][0]["kernels"]}
    equal(kernels, oracle.kernels(oracle.operations(run.truth)), "kernels")
    check(any("clock" in w for w in run.report["warnings"]), f"no warning: {run.report['warnings']}")
    off_by = abs(abs(run.report["clock_step_ns"]) - abs(seconds) * 1_000_000_000)
    check(off_by < 1_000_000_000, f"clock_step_ns: {run.report['clock_step_ns']}")
    check(any("clock was stepped by" in line for line in run.lines("WARNING")), run.stderr.decode())
    return run


def test_clock_stepped_forward(p):
    stepped(p, 3600)


def test_clock_stepped_back(p):
    run = stepped(p, -3600)
    # What follows lies an hour before what has been summed up.
    equal(run.report["records"]["late"], 200, "records.late")
    check(run.report["records"]["late_ns"] >= 200 * 10_000, f"late_ns: {run.report['records']}")
    check(any("records came after their time" in line for line in run.lines("WARNING")),
          run.stderr.decode())


def one_line(p, run, *words):
    """The program undisturbed, and one line of ours that says what, where and what to do."""
    equal(run.stdout, b"training basic\nloss 0.25\n", "stdout")
    equal(run.code, 0, "exit code")
    equal(run.truth["values"]["injected"], 1, "InitializeInjection's result")
    equal(run.violations(), [], "rules of CUPTI broken")
    lines = run.stderr.decode().splitlines()
    equal(len(lines), 1, f"lines on stderr {lines}")
    for word in words + (str(run.truth["pid"]),):
        check(word in lines[0], f"{word!r} not in {lines[0]!r}")


# triton#8953, pytorch#117935, TensorRT-LLM#9073, tensorflow#35860, ThunderKittens#73.
def test_subscribe_errors(p):
    for code, words in ((15, ()), (35, ("NVreg_RestrictProfilingToAdminUsers",)), (39, ("nsys",))):
        run = p.run("basic", env={"FAKE_CUPTI_SUBSCRIBE_RESULT": code, "FAKE_CUPTI_OTHER_TOOL": "nsys"})
        one_line(p, run, "gapscope", *words)


def test_subscribe_errors_cupti_12(p):
    for code in (15, 35, 39):
        run = p.run("basic", cupti=12, env={"FAKE_CUPTI_SUBSCRIBE_RESULT": code})
        one_line(p, run, "gapscope")


def test_activity_refused(p):
    run = p.run("basic", env={"FAKE_CUPTI_ENABLE_RESULT": 35})
    one_line(p, run, "gapscope")


# Here a toolkit may be installed: then its libcupti is found, and finds no driver.
def test_no_libcupti(p):
    run = p.run("basic", env={"GAPSCOPE_CUPTI_PATH": p.file("nowhere"), "CUDA_HOME": p.file("nowhere")})
    one_line(p, run, "gapscope")


def test_not_a_libcupti(p):
    bogus = p.file("libcupti.so.13")
    with open(bogus, "w", encoding="utf-8") as f:
        f.write("not a library\n")
    run = p.run("basic", env={"GAPSCOPE_CUPTI_PATH": bogus})
    one_line(p, run, "gapscope")
