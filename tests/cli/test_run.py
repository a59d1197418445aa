"""gapscope run: the program's environment, signals and exit code are its own."""
import os
import signal
import subprocess
import sys
import time

from cli import write


def run(cli, *arguments, **options):
    """Any file does as the library: these programs load no CUDA."""
    return cli.run("run", "--library", cli.gapscope, *arguments, **options)


def test_run_environment(cli):
    show = "import os; print({k: v for k, v in os.environ.items() if 'INJECTION' in k or 'GAPSCOPE' in k})"
    result = run(cli, "--report", "r.json", "--record-limit=2GiB", "--quiet", "--", sys.executable,
                 "-c", show, env={"GAPSCOPE_REPORT": "old.json", "GAPSCOPE_FLUSH_MS": "100"})
    found = eval(result.expect(0).out)  # pylint: disable=eval-used
    assert found.pop("GAPSCOPE_RUN_ID").startswith("run-")
    assert found == {
        "CUDA_INJECTION64_PATH": cli.gapscope, "NVTX_INJECTION64_PATH": cli.gapscope,
        "GAPSCOPE_REPORT": "r.json", "GAPSCOPE_RECORD_LIMIT": "2GiB", "GAPSCOPE_QUIET": "true",
        "GAPSCOPE_FLUSH_MS": "100"}
    other = run(cli, "true", env={"CUDA_INJECTION64_PATH": "/other.so"})
    other.expect(0, "CUDA_INJECTION64_PATH was /other.so")


def test_run_finds_its_library(cli):
    """Beside the program, or in ../lib: where a build and an installation have it."""
    for program, library in (("a/gapscope", "a/libgapscope.so"),
                             ("b/bin/gapscope", "b/lib/libgapscope.so"),
                             ("c/bin/gapscope", "c/lib/x86_64-linux-gnu/libgapscope.so")):
        for path in (program, library):
            os.makedirs(os.path.dirname(cli.path(path)), exist_ok=True)
        copy = cli.path(program)
        subprocess.run(["cp", cli.gapscope, copy], check=True)
        command = [copy, "run", "--", "sh", "-c", "echo $CUDA_INJECTION64_PATH"]
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "timeout": 60,
                   "env": cli.environment()}
        missing = subprocess.run(command, check=False, **options)
        assert missing.returncode == 2 and b"cannot find libgapscope.so" in missing.stderr, missing
        write(cli.path(library), b"")
        found = subprocess.run(command, check=False, **options)
        assert found.returncode == 0, found
        assert os.path.samefile(found.stdout.decode().strip(), cli.path(library))


def test_run_preload(cli):
    """Beside the library it is found, and what was preloaded stays."""
    library, preload = write(cli.path("lib.so"), b""), cli.path("libgapscope_preload.so")
    arguments = ("run", "--library", library, "--preload", "--", "sh", "-c", "echo $LD_PRELOAD")
    cli.run(*arguments).expect(2, f"cannot find {preload}")
    write(preload, b"")
    # The dynamic linker says that these are no libraries, and goes on.
    assert cli.run(*arguments).out == f"{preload}\n"
    assert cli.run(*arguments, env={"LD_PRELOAD": "/a.so"}).out == f"{preload}:/a.so\n"


def test_run_exit_codes(cli):
    run(cli, "--", "sh", "-c", "exit 7").expect(7)
    run(cli, "sh", "-c", "exit 7").expect(7)
    run(cli, "--", "no-such-program-at-all").expect(127, "no-such-program-at-all")
    run(cli, "--", write(cli.path("data"), b"x")).expect(126, "Permission denied")
    run(cli, "--", "sh", "-c", "kill -SEGV $$").expect(-signal.SIGSEGV)
    run(cli, "--", "sh", "-c", "kill -KILL $$").expect(-signal.SIGKILL)


def test_run_usage(cli):
    run(cli).expect(1, "no command")
    run(cli, "--").expect(1, "no command")
    run(cli, "--frob", "true").expect(1, "--frob")
    run(cli, "--flush-ms", "5", "--", "true").expect(1, "milliseconds from 10 to 60000")
    run(cli, "--capture", "some", "--", "true").expect(1, "steps:20-300")
    cli.run("run", "--library", "none.so", "--", "true").expect(2, "none.so")


def test_run_leaves_arguments_alone(cli):
    for dashes in ([], ["--"]):
        echo = [sys.executable, "-c", "import sys; print(sys.argv[1:])", "--report", "-x", "--", "a b", ""]
        result = run(cli, *dashes, *echo).expect(0)
        assert result.out == f"{echo[3:]}\n", (dashes, result.out)


def test_run_streams(cli):
    """Input, output, a closed stdout and a broken pipe are the program's own business."""
    command = [cli.gapscope, "run", "--library", cli.gapscope, "--", "sh", "-c", "cat; echo err >&2"]
    done = subprocess.run(command, input=b"hello", stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=cli.environment(), timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"hello", b"err\n")
    closed = f'"{cli.gapscope}" run --library "{cli.gapscope}" -- sh -c "echo x; echo y" >&-'
    done = subprocess.run(["sh", "-c", closed], stderr=subprocess.PIPE, env=cli.environment(),
                          timeout=60, check=False)
    assert done.returncode == 1 and done.stderr.count(b"\n") == 2, done
    reader, writer = os.pipe()
    os.close(reader)
    plain = ["sh", "-c", "trap - PIPE; while :; do echo x; done"]
    codes = [subprocess.run(prefix + plain, stdout=writer, stderr=subprocess.DEVNULL, timeout=60,
                            check=False).returncode
             for prefix in ([], command[:5])]
    os.close(writer)
    assert codes[0] == codes[1] == -signal.SIGPIPE, codes


CATCH = """
import os, signal, sys
def caught(number, frame):
    print(number, flush=True)
    os._exit(42)
for number in (signal.SIGTERM, signal.SIGUSR1, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, caught)
print("ready", os.getpid(), flush=True)
while True:
    signal.pause()
"""


def start(cli, program):
    process = subprocess.Popen([cli.gapscope, "run", "--library", cli.gapscope, "--",
                                sys.executable, "-c", program], stdout=subprocess.PIPE,
                               env=cli.environment())
    ready = process.stdout.readline().split()
    assert ready[0] == b"ready", ready
    return process, int(ready[1])


def test_run_forwards_signals(cli):
    for number in (signal.SIGTERM, signal.SIGUSR1, signal.SIGINT, signal.SIGHUP):
        process, _ = start(cli, CATCH)
        process.send_signal(number)
        out, _ = process.communicate(timeout=60)
        assert (process.returncode, out) == (42, b"%d\n" % number), number


def test_run_default_signals(cli):
    """A program without handlers dies of the signal, and so do we, for the caller to see."""
    process, _ = start(cli, "import os, time; print('ready', os.getpid(), flush=True); time.sleep(60)")
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGTERM


def test_run_killed(cli):
    """When we are killed the program is asked to end as well."""
    process, child = start(cli, CATCH)
    process.kill()
    out, _ = process.communicate(timeout=60)  # until the child has closed its end too
    assert out == b"%d\n" % signal.SIGTERM, out
    for _ in range(600):
        if not os.path.exists(f"/proc/{child}/cmdline"):
            return
        with open(f"/proc/{child}/cmdline", "rb") as file:
            if not file.read():
                return  # a zombie that waits for its new parent
        time.sleep(0.1)
    raise AssertionError("the program lives on")
