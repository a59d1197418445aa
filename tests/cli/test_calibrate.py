"""gapscope calibrate, on the fake driver and the fake libcupti where they are built."""
import json
import os
import re

from cli import load, write


def fakes(cli):
    """The environment in which the fake driver is the driver; None where it is not built."""
    driver = os.path.join(cli.build, "bench_fake_cuda")
    if not os.path.isdir(driver) or not os.path.exists(os.path.join(cli.build, "bench_launches")):
        return None
    return {"LD_LIBRARY_PATH": driver,
            "GAPSCOPE_CUPTI_PATH": os.path.join(cli.build, "fake_cupti", "13")}


def test_calibrate(cli):
    env = fakes(cli)
    if env is None:
        return
    path = cli.path("made/calibration.json")
    done = cli.run("calibrate", "--rounds", "1", "-o", path, env=env)
    done.expect(0)
    assert re.search(r"Fake H200, driver .*: CUPTI adds \d+ ns to a launch", done.out), done.out
    made = load(path)
    assert made["gpu"] == "Fake H200", made
    assert all(made[k] >= 0 for k in ("launch_ns", "graph_node_ns", "copy_ns")), made


def test_calibration_reaches_the_page(cli):
    env = fakes(cli)
    if env is None:
        return
    library = os.path.join(cli.build, "libgapscope.so")
    command = ("--", os.path.join(cli.build, "bench_launches"), "--rows", "launch_1,copy_4k,graph_1000",
               "--repeat", "1", "--scale", "0.01")
    def run(name, calibration):
        report = cli.path(name)
        done = cli.run("run", "--library", library, "--report", report, "--calibration", calibration,
                       "--snapshot", "0", *command, env=env)
        assert done.code == 0, done.err
        return load(report), done.err

    plain, page = run("plain.json", cli.path("none.json"))
    assert plain["self"]["cupti_ns"] == 0 and "+ CUPTI's own" in page, page
    figures = {"format": "gapscope calibration 1", "gpu": "Fake H200",
               "driver": plain["process"]["driver_version"],
               "launch_ns": 2000.0, "graph_node_ns": 500.0, "copy_ns": 1000.0}
    calibration = write(cli.path("calibration.json"), json.dumps(figures).encode())
    report, page = run("report.json", calibration)
    launches = sum(c["calls"] - c["captured"] for c in report["host_calls"] if c["category"] == "launch")
    copies = sum(c["calls"] for c in report["host_calls"] if c["category"] in ("copy", "set"))
    nodes = report["records"]["seen"] - launches - copies
    assert launches > 0 and copies > 0 and nodes > 0, report["host_calls"]
    assert report["self"]["cupti_ns"] == launches * 2000 + copies * 1000 + nodes * 500, report["self"]
    assert " % CUPTI)" in page, page
    # Of another GPU, or no calibration at all: as without one.
    for content in (json.dumps(figures | {"gpu": "Other"}), json.dumps(figures | {"driver": "1.2"}),
                    json.dumps(figures | {"launch_ns": -1}), json.dumps(figures | {"copy_ns": "x"}), "[", "7"):
        write(calibration, content.encode())
        report, _ = run("report.json", calibration)
        assert report["self"]["cupti_ns"] == 0, content


def test_calibrate_without_a_driver(cli):
    """A machine without a GPU: one line, and no file."""
    path = cli.path("calibration.json")
    library = write(cli.path("lib.so"), b"")
    nowhere = cli.path("empty")
    os.mkdir(nowhere)
    write(os.path.join(nowhere, "libcuda.so.1"), b"")
    done = cli.run("calibrate", "-o", path, "--library", library, env={"LD_LIBRARY_PATH": nowhere})
    assert done.code == 2 and "no CUDA driver on this machine" in done.err, done.err
    assert not os.path.exists(path)
