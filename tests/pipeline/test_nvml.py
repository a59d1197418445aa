"""What NVML says of the GPUs, asked on a thread of the library's own, by a library of tests/fake_nvml."""
import json
import time

import reports
from harness import check, equal, sound


def with_nvml(p, mode, **more):
    return {"LD_LIBRARY_PATH": p.path("fake_nvml"), "FAKE_CUPTI_DEVICES": "1", "FAKE_NVML": mode, **more}


def gpus(run):
    return run.report["process"]["environment"]["gpus"]


def test_nvml(p):
    log, recording = p.file("calls"), p.file("nvml.gsrec")
    run = p.run("basic", env=with_nvml(p, "log=" + log, GAPSCOPE_RECORD=recording))
    sound(p, run, "basic")
    equal(len(gpus(run)), 1, "GPUs that the process used")
    nvml = dict(gpus(run)[0]["nvml"])
    since_ns, own = nvml.pop("utilisation_since_ns"), nvml.pop("own_busy_pct")
    used = nvml.pop("utilisation_pct")
    equal(nvml, {"sm_clock_mhz": 1755, "max_sm_clock_mhz": 1980, "memory_clock_mhz": 2619,
                 "max_memory_clock_mhz": 3201, "power_mw": 412345, "power_limit_mw": 700000,
                 "temperature_c": 54, "processes": 1}, "its state")
    # Samples from before the process are not in the mean (they would be at 0 %).
    check(80 <= used <= 90, f"utilisation: {used}")
    process = run.report["process"]
    check(process["start_ns"] <= since_ns < process["end_ns"], f"since: {since_ns}")
    check(0 <= own <= 100, f"own share: {own}")
    equal([w for w in run.report["warnings"] if "shared" in w], [], "warnings")
    with open(log, encoding="utf-8") as f:
        calls = f.read().splitlines()
    equal(calls, ["gapscope-env nvmlInit_v2", "gapscope-env nvmlShutdown"], "threads and calls")
    replayed, path = p.replay(recording)
    equal(replayed.returncode, 0, f"replay: {replayed.stderr.decode()}")
    with open(path, encoding="utf-8") as f:
        again = json.load(f)
    live = dict(run.report)
    live.pop("self"), again.pop("self")
    equal(reports.first_difference(live, again), None, "live and replayed report differ")


def test_nvml_shared(p):
    run = p.run("basic", env=with_nvml(p, "shared"))
    sound(p, run, "basic")
    equal(gpus(run)[0]["nvml"]["processes"], 3, "processes")
    equal(len([w for w in run.report["warnings"] if "GPU 0 was shared: 3 processes" in w]), 1,
          f"warnings: {run.report['warnings']}")


def test_nvml_without_samples(p):
    run = p.run("basic", env=with_nvml(p, "old"))
    sound(p, run, "basic")
    nvml = gpus(run)[0]["nvml"]
    equal((nvml["utilisation_pct"], nvml["utilisation_since_ns"]), (77, 0), "of the last moment")


def test_nvml_refuses(p):
    run = p.run("basic", env=with_nvml(p, "refuse"))
    sound(p, run, "basic")
    equal(gpus(run)[0]["nvml"], None, "its state")
    equal(run.lines("gapscope["), [], "complaints")


def test_nvml_hangs(p):
    """The end waits a bounded time, and only the GPUs' state is missing."""
    begin = time.monotonic()
    run = p.run("basic", env=with_nvml(p, "hang", CUDA_VISIBLE_DEVICES="0"))
    sound(p, run, "basic")
    equal(gpus(run)[0]["nvml"], None, "its state")
    check(run.report["process"]["environment"]["kernel"].startswith("Linux"), "the rest is there")
    check(time.monotonic() - begin < 60, "it waited for NVML")
