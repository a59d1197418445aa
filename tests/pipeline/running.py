"""A program of the tests that waits for a word, so that a test can look at it while it runs."""
import glob
import json
import os
import subprocess
import sys
import time

from harness import TIMEOUT_S, check

HERE = os.path.dirname(os.path.abspath(__file__))


class Running:
    """Started with a folder of its own for what it leaves; release() lets it go on to its end."""

    def __init__(self, p, command, env=None, run=(), before=None):
        """run: arguments of `gapscope run` above the command, None to start it directly."""
        self.p = p
        p.runs += 1
        self.folder = p.file(f"run{p.runs}")
        os.mkdir(self.folder)
        self.until = os.path.join(self.folder, "until")
        self.log = os.path.join(self.folder, "log")
        self.snapshots = os.path.join(self.folder, "snapshots")
        variables = {"FAKE_CUPTI_LOG": self.log, "GAPSCOPE_SNAPSHOT": self.snapshots,
                     "GAPSCOPE_SNAPSHOT_MS": 100, "GAPSCOPE_CUPTI_PATH": p.cupti(),
                     "CUDA_INJECTION64_PATH": p.path("libgapscope.so"), **(env or {})}
        if run is not None:
            command = [p.path("gapscope"), "run", *run, "--", *command]
            variables["CUDA_INJECTION64_PATH"] = None
        self.process = subprocess.Popen(command, env=p.environment(variables), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=before,
                                        cwd=self.folder, start_new_session=True)
        p.started.append(self.process)

    def files(self):
        """Paths of the snapshots by process id."""
        found = glob.glob(os.path.join(self.snapshots, "snapshot.*.json"))
        return {int(os.path.basename(path).split(".")[1]): path for path in found}

    def reports(self):
        """Each read in one go: it must be whole at any moment."""
        reports = {}
        for pid, path in self.files().items():
            with open(path, encoding="utf-8") as file:
                reports[pid] = json.load(file)
        return reports

    def await_snapshots(self, operations, processes=1, ends=False):
        """Until so many processes have a snapshot with so many operations; their ids.

        ends: the process that was started may have ended by then."""
        deadline = time.monotonic() + TIMEOUT_S
        while time.monotonic() < deadline:
            reports = self.reports()
            done = [pid for pid, r in reports.items() if r["records"]["seen"] >= operations]
            if len(done) >= processes:
                return sorted(done)
            check(ends or self.process.poll() is None, f"the program ended: {self.process.returncode}")
            time.sleep(0.02)
        raise AssertionError(f"no snapshot with {operations} operations: {self.files()}")

    def release(self):
        with open(self.until, "w", encoding="utf-8"):
            pass
        return self

    def finish(self):
        self.stdout, self.stderr = (text.decode() for text in self.process.communicate(timeout=TIMEOUT_S))
        self.code = self.process.returncode
        return self

    def lines(self, text):
        return [line for line in self.stderr.splitlines() if text in line]

    def violations(self):
        if not os.path.exists(self.log):
            return []
        with open(self.log, encoding="utf-8") as file:
            return [line for line in file.read().splitlines() if line.startswith("violation: ")]


def driver(p, scenario, *arguments, env=None, run=None, before=None):
    """fake_driver; it waits after its work."""
    number = p.runs + 1
    command = [p.path("fake_driver"), scenario, "--until", p.file(f"run{number}/until"),
               "--truth", p.file(f"run{number}/truth"), *map(str, arguments)]
    return Running(p, command, env, run, before)


def python(p, *arguments, env=None, run=None):
    """program.py; it waits after its work."""
    number = p.runs + 1
    command = [sys.executable, "-B", os.path.join(HERE, "program.py"), p.path("libfake_program.so"),
               p.file(f"run{number}/until"), *map(str, arguments)]
    return Running(p, command, env, run)


def show(p, running, pid, *arguments):
    """gapscope show --pid: its process."""
    return command_line(p, running, "show", "--pid", str(pid), *arguments)


def command_line(p, running, *arguments):
    return subprocess.run([p.path("gapscope"), *arguments],
                          env=p.environment({"GAPSCOPE_SNAPSHOT": running.snapshots}),
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=TIMEOUT_S, text=True)
