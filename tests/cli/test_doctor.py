"""gapscope doctor, on this machine as it is and under a driver that is none (bench/overhead/tests)."""
import os
import re

from cli import write


def driver(cli):
    """Its folder, None where it was not built (presets without benchmarks)."""
    folder = os.path.join(cli.build, "bench_fake_cuda")
    return folder if os.path.exists(os.path.join(folder, "libcuda.so.1")) else None


def doctor(cli, folder, **env):
    cupti = os.path.join(cli.build, "fake_cupti", "13", "libcupti.so.13")
    return cli.run("doctor", env={"LD_LIBRARY_PATH": folder, "GAPSCOPE_CUPTI_PATH": cupti, **env})


def line(result, subject):
    found = [text for text in result.out.splitlines() if text.split()[1:2] == [subject]]
    assert len(found) == 1, result.out
    return found[0]


def test_doctor_without_driver(cli):
    """A libcuda.so.1 that is no library stands for one that is not there: this machine may have a GPU."""
    folder = cli.path("broken")
    os.mkdir(folder)
    write(os.path.join(folder, "libcuda.so.1"), b"none")
    result = doctor(cli, folder)
    assert result.code == 1 and result.err == "", (result.code, result.err)
    assert line(result, "driver").startswith("FAIL") and "remedy: " in line(result, "driver"), result.out
    assert re.search(r"^\d+ of \d+ would keep gapscope from working\.$", result.out, re.M), result.out
    assert all(text.split()[0] in ("ok", "note", "FAIL") for text in result.out.splitlines()[:-1]), result.out


def test_doctor_all_is_well(cli):
    folder = driver(cli)
    if folder is None:
        return
    kept = write(cli.path("kept.gsrec"), b"the user's")
    result = doctor(cli, folder, GAPSCOPE_RECORD=kept, GAPSCOPE_REPORT=cli.path("report.json"))
    result.expect(0)
    assert "CUDA 13.0" in line(result, "driver") and folder in line(result, "driver"), result.out
    assert "one copy to the GPU was recorded" in line(result, "recording"), result.out
    assert "FAIL" not in result.out and "libgapscope.so loads" in line(result, "library"), result.out
    # What the user's own run is to write is left alone.
    with open(kept, "rb") as file:
        assert file.read() == b"the user's"
    assert not os.path.exists(cli.path("report.json"))


def test_doctor_refused(cli):
    folder = driver(cli)
    if folder is None:
        return
    refused = doctor(cli, folder, FAKE_CUPTI_SUBSCRIBE_RESULT="35")
    assert refused.code == 1 and "not permitted to trace the GPU" in line(refused, "recording"), refused.out
    held = doctor(cli, folder, FAKE_CUPTI_SUBSCRIBE_RESULT="39")
    assert held.code == 1 and "another tool holds CUPTI" in line(held, "recording"), held.out


def test_doctor_bad_injection_path(cli):
    text = write(cli.path("libgapscope.so"), b"no library")
    for path, why in ((cli.path("gone/libgapscope.so"), "No such file"), (text, "file too short")):
        result = cli.run("doctor", env={"CUDA_INJECTION64_PATH": path, "NVTX_INJECTION64_PATH": path})
        found = line(result, "CUDA_INJECTION64_PATH")
        assert result.code == 1 and found.startswith("FAIL") and why in found, result.out


def test_doctor_libcupti_12(cli):
    """Which one is taken, and its version, are the library's own words."""
    cupti = os.path.join(cli.build, "fake_cupti", "12")
    result = cli.run("doctor", env={"GAPSCOPE_CUPTI_PATH": cupti})
    if not os.path.isdir(cupti):
        return
    assert f"of CUDA 12, version 26 ({cupti}/libcupti.so.12)" in line(result, "libcupti"), result.out
