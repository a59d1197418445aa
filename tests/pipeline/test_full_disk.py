"""Files that cannot be written to their end: the program goes on, and each gets one line."""
import ctypes
import os
import subprocess

from harness import check, equal, expected_stdout

FILES = ("REPORT", "RECORD", "TRACE", "HTML", "OUTPUT")
OPERATIONS = 20_000  # their recording and trace are larger than any limit here


def undisturbed(run):
    equal(run.stdout, expected_stdout("kernels"), "stdout")
    equal(run.code, 0, f"exit code (a negative one is a signal); stderr: {run.stderr.decode()}")
    equal(run.violations(), [], "rules of CUPTI broken")


def variables(folder):
    return {f"GAPSCOPE_{name}": os.path.join(folder, name.lower()) for name in FILES}


def each_told_once(run, files, reason):
    for name, path in files.items():
        lines = run.lines(path)
        # What a snapshot could not write is told again at the end.
        most = 2 if name == "GAPSCOPE_REPORT" else 1
        check(1 <= len(lines) <= most, f"lines about {name}: {run.stderr.decode()}")
        check(all(reason in line for line in lines), f"{name}: {lines}")


# SIGXFSZ would end the process, on whatever thread a write meets the limit: the collector's, that of
# the snapshots, and the program's own, on which the end is run.
def test_file_size_limit(p):
    folder = p.file("limited")
    os.mkdir(folder)
    files = variables(folder)
    run = p.run("kernels", "--operations", OPERATIONS, "--file-limit", 4096, "--pause-ms", 2500,
                env={**files, "GAPSCOPE_SNAPSHOT_MS": 100})
    undisturbed(run)
    equal(run.truth["values"]["injected"], 1, "InitializeInjection's result")
    recording, trace = files.pop("GAPSCOPE_RECORD"), files.pop("GAPSCOPE_TRACE")
    each_told_once(run, {k: v for k, v in files.items() if k != "GAPSCOPE_OUTPUT"}, "File too large")
    # These end where the limit is, as with one of our own.
    check(run.lines("recording stopped") and run.lines("trace stopped"), run.stderr.decode())
    check(os.path.getsize(recording) <= 4096 and os.path.getsize(trace) <= 4096, "larger than the limit")
    equal(sorted(name for name in os.listdir(folder) if "partial" in name), [], "half-written files")
    check(not os.path.exists(files["GAPSCOPE_HTML"]), "an HTML page is there")
    if os.path.exists(files["GAPSCOPE_REPORT"]):  # an early one that was small enough, whole
        equal(p.holds(files["GAPSCOPE_REPORT"]), [], "invariants of the report")


# The limit comes when the files are open already.
def test_file_size_limit_comes_later(p):
    folder = p.file("limited")
    os.mkdir(folder)
    files = variables(folder)
    run = p.run("lower_file_limit", "--operations", OPERATIONS, "--file-limit", 1 << 20, env=files)
    equal(run.code, 0, f"exit code; stderr: {run.stderr.decode()}")
    for name in ("record", "trace"):
        equal(len(run.lines(os.path.join(folder, name))), 1, f"lines about {name}: {run.stderr.decode()}")
    process, path = p.replay(files["GAPSCOPE_RECORD"])
    equal(process.returncode, 2, f"replay of what was written: {process.stderr.decode()}")
    check("cut off" in process.stderr.decode(), process.stderr.decode())
    equal(p.holds(path), [], "invariants of the replayed report")


def test_devices_that_are_full(p):
    for name in FILES:
        run = p.run("kernels", env={f"GAPSCOPE_{name}": "/dev/full"}, report=name != "REPORT")
        undisturbed(run)
        lines = run.lines("/dev/full")
        check(lines and all("No space left" in line for line in lines), f"{name}: {run.stderr.decode()}")


def test_stderr_is_full(p):
    p.runs += 1
    truth = p.file("truth")
    with open("/dev/full", "wb") as full:
        process = subprocess.run(
            [p.path("fake_driver"), "kernels", "--truth", truth], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=full, timeout=120,
            env=p.environment({"CUDA_INJECTION64_PATH": p.path("libgapscope.so"),
                               "GAPSCOPE_CUPTI_PATH": p.cupti(), "GAPSCOPE_SNAPSHOT": p.snapshots()}))
    equal((process.returncode, process.stdout), (0, expected_stdout("kernels")), "exit code, stdout")


def mount_small(folder):
    """In the child: a file system of 64 KiB of its own at that folder."""
    new_namespace, new_user = 0x00020000, 0x10000000
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(new_namespace | (0 if os.geteuid() == 0 else new_user)) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    private = 1 << 18 | 1 << 14  # what is mounted here is not seen outside
    libc.mount(b"none", b"/", None, private, None)
    if libc.mount(b"none", folder.encode(), b"tmpfs", 0, b"size=64k") != 0:
        raise OSError(ctypes.get_errno(), "mount")


def test_full_file_system(p):
    folder = p.file("small")
    os.mkdir(folder)
    files = variables(folder)
    files.pop("GAPSCOPE_OUTPUT")  # small enough to have room
    env = {**files, "GAPSCOPE_SNAPSHOT": os.path.join(folder, "snapshots"), "GAPSCOPE_SNAPSHOT_MS": 100}
    try:
        run = p.run("kernels", "--operations", OPERATIONS, "--pause-ms", 2500, env=env,
                    before=lambda: mount_small(folder))
    except subprocess.SubprocessError:
        print("not permitted to mount a file system: left out")
        return
    undisturbed(run)
    files.pop("GAPSCOPE_REPORT")
    each_told_once(run, files, "No space left")
    check(run.lines("GPU 0"), f"no page: {run.stderr.decode()}")
    equal(os.listdir(folder), [], "something was written outside the small file system")
