"""One run of one mode: a process of its own, its environment, its numbers, its complaints.

Every function returns {"rows": {row: number}, "problem": text}; problem is "" for a run that counts.
"""
import glob
import json
import os
import signal
import subprocess
import sys
import time

import torch_work

ENDED_WELL = "exit status 0"
LIBRARIES = {"floor": "libgapscope_floor.so", "gapscope": "libgapscope.so"}


def find_cupti(folders):
    """One libcupti for all tools that are injected: PyTorch's, else the toolkit's. "" if none."""
    patterns = [f"{folder}/nvidia/*/lib/libcupti.so.1[0-9]" for folder in folders if folder]
    patterns += ["/usr/local/cuda*/lib64/libcupti.so.1[0-9]",
                 "/usr/local/cuda*/extras/CUPTI/lib64/libcupti.so.1[0-9]"]
    found = [path for pattern in patterns for path in sorted(glob.glob(pattern), reverse=True)]
    return os.path.realpath(found[0]) if found else ""


def clean_environment():
    """This process's, without any tool's variables."""
    return {name: value for name, value in os.environ.items()
            if not name.startswith(("GAPSCOPE_", "FLOOR_")) and not name.endswith("_INJECTION64_PATH")}


def tool_environment(mode, build, cupti):
    if not mode.library:
        return {}
    env = {"CUDA_INJECTION64_PATH": f"{build}/{LIBRARIES[mode.library]}",
           "GAPSCOPE_QUIET": "1", **dict(mode.env)}
    if cupti:
        env["GAPSCOPE_CUPTI_PATH"] = cupti
    return env


def complaint(mode, stderr, libraries):
    """Why a run does not count although it gave numbers: its tool was not there. "" if it was."""
    for line in stderr.splitlines():
        if line.startswith("gapscope") or line.startswith("floor: off"):
            return line
    if mode.library and LIBRARIES[mode.library] not in libraries:
        return f"{LIBRARIES[mode.library]} was not loaded"
    return ""


def last_line(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1][:300] if lines else ""


def finished(mode, output, stderr, status):
    """output: the JSON {"rows": ..., "libraries": [...]} that a child prints, or nothing."""
    try:
        if status != ENDED_WELL:
            raise ValueError(status)
        told = json.loads(output)
    except ValueError:
        return {"rows": {}, "problem": f"{status}: {last_line(stderr)}"}
    problem = told.get("error") or complaint(mode, stderr, told["libraries"])
    rows = {row: value["ns_per_operation"] if isinstance(value, dict) else value
            for row, value in told["rows"].items()}
    return {"rows": {} if problem else rows, "problem": problem}


def run_command(command, env, timeout):
    """(stdout, stderr, status text). The whole process group is ended at the time limit."""
    try:
        child = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True)
    except OSError as error:
        return "", str(error), "not started"
    try:
        out, err = child.communicate(timeout=timeout)
        return out, err, f"exit status {child.returncode}"
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        out, err = child.communicate()
        return "", err, f"ended after {timeout:.0f} s"


class Native:
    """Runs of bench_launches."""

    def __init__(self, build, cupti, folder, scale, repeat):
        self.build, self.cupti, self.folder = build, cupti, folder
        self.options = ["--scale", str(scale), "--repeat", str(repeat)]

    def prepare(self, group):
        program = f"{self.build}/bench_launches"
        return "" if os.access(program, os.X_OK) else f"{program} is not built"

    def run(self, mode, group, rows, timeout):
        env = {**clean_environment(), **tool_environment(mode, self.build, self.cupti)}
        wrapper = [part.replace("FOLDER", self.folder) for part in mode.command]
        command = [*wrapper, f"{self.build}/bench_launches", "--rows", ",".join(rows),
                   *self.options]
        out, err, status = run_command(command, env, timeout)
        # nsys prints lines of its own around the program's.
        lines = [line for line in out.splitlines() if line.startswith("{")]
        return finished(mode, lines[0] if lines else "", err, status)


def own_libraries():
    with open("/proc/self/maps") as maps:
        return sorted({os.path.basename(line.split("/", 1)[1].strip()) for line in maps
                       if "/" in line and ".so" in line})


def child_answer(group, rows, tool, keep):
    """What a PyTorch child prints."""
    try:
        measured = torch_work.measure(group, rows, tool, keep)
        return {"rows": measured, "libraries": own_libraries()}
    except Exception as error:  # whatever a tool or a model throws is this run's problem alone
        return {"rows": {}, "libraries": [], "error": f"{type(error).__name__}: {str(error)[:300]}"}


class Torch:
    """Runs of the PyTorch rows. The modules are imported once, before CUDA starts, and each run is
    a fork; for a group where that does not work (an import started CUDA) each is a Python of its own."""

    def __init__(self, build, cupti, folder):
        self.build, self.cupti, self.folder = build, cupti, folder
        self.fork_works = {}  # by group, once it is known

    def prepare(self, group):
        try:
            torch_work.import_for(group)
            return ""
        except Exception as error:
            return f"{type(error).__name__}: {error}"

    def run(self, mode, group, rows, timeout):
        if self.fork_works.get(group, True):
            result = self.run_fork(mode, group, rows, timeout)
            plain = not mode.library and not mode.python_tool
            if group in self.fork_works or not plain or not result["problem"]:
                if not result["problem"]:
                    self.fork_works[group] = True
                return result
            self.fork_works[group] = False  # the group's first run, without a tool, failed
        return self.run_fresh(mode, group, rows, timeout)

    def run_fresh(self, mode, group, rows, timeout):
        env = {**clean_environment(), **tool_environment(mode, self.build, self.cupti)}
        command = [sys.executable, "-B", os.path.abspath(__file__), group, ",".join(rows), mode.python_tool]
        out, err, status = run_command(command, env, timeout)
        return finished(mode, last_line_of_json(out), err, status)

    def run_fork(self, mode, group, rows, timeout):
        stderr_path = f"{self.folder}/child.stderr"
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            self.in_child(mode, group, rows, stderr_path, writer)
        os.close(writer)
        output, status = read_until_end(reader, child, timeout)
        with open(stderr_path, errors="replace") as file:
            return finished(mode, output, file.read(), status)

    def in_child(self, mode, group, rows, stderr_path, writer):
        """Never returns; no handler of the parent runs."""
        try:
            file = os.open(stderr_path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            os.dup2(file, 1)
            os.dup2(file, 2)
            os.environ.update(tool_environment(mode, self.build, self.cupti))
            keep = []
            answer = child_answer(group, rows, mode.python_tool, keep)
            os.write(writer, json.dumps(answer).encode())
            os._exit(0)
        finally:
            os._exit(1)


def last_line_of_json(text):
    lines = [line for line in text.splitlines() if line.startswith("{")]
    return lines[-1] if lines else ""


def read_until_end(reader, child, timeout):
    """The child's whole answer and how it ended; it is killed at the time limit."""
    output, deadline, late = b"", time.monotonic() + timeout, False
    os.set_blocking(reader, False)
    while True:
        try:
            data = os.read(reader, 1 << 16)
            output += data
            if not data:
                break
        except BlockingIOError:
            if time.monotonic() > deadline:
                os.kill(child, signal.SIGKILL)
                late = True
                break
            time.sleep(0.005)
    os.close(reader)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if late:
        return "", f"ended after {timeout:.0f} s"
    return output.decode(errors="replace"), f"exit status {status}"


def main():
    """A fresh child: GROUP ROWS TOOL."""
    group, rows, tool = sys.argv[1:4]
    torch_work.offline()
    keep = []
    print(json.dumps(child_answer(group, rows.split(","), tool, keep)), flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
