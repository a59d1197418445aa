"""Runs children that can never hang us, keeps their logs, counts what passed.

Every child gets a process group of its own and a time limit after which the whole group is killed;
everything it printed goes to run.log. Reports that children wrote are kept in reports.jsonl.gz.
"""
import glob
import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
import traceback
from dataclasses import dataclass

GRACE_S = 30  # what a child that has begun may take beyond the end of the budget
MAX_LOGGED = 60_000  # characters of one stream of one child


@dataclass
class Child:
    """How a child ended. tail_s: from its last output on stdout to its end."""
    name: str
    status: int  # as subprocess: negative for a signal
    stdout: str
    stderr: str
    wall_s: float
    tail_s: float
    timed_out: bool

    @property
    def ending(self):
        return "killed after its time limit" if self.timed_out else f"exit {self.status}"


class Context:
    def __init__(self, build, cases, out, budget_s, only):
        self.build = os.path.abspath(build)
        self.cases = os.path.abspath(cases)
        self.out = os.path.abspath(out)
        self.source = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
        self.only = only
        self.gpus = 0
        self.child_pid = None  # of the child that runs now
        self.results = []  # (passed, check, ours, expected, note)
        self.deadline = time.monotonic() + budget_s
        self.temp = tempfile.mkdtemp(prefix="gapscope-gpu-")
        os.makedirs(self.out, exist_ok=True)
        self.log = open(os.path.join(self.out, "run.log"), "w", encoding="utf-8")
        self.kept = gzip.open(os.path.join(self.out, "reports.jsonl.gz"), "wt", encoding="utf-8")
        self.serial = 0
        self.libraries = self._library_folders()

    # Results

    @property
    def passed(self):
        return sum(1 for r in self.results if r[0])

    @property
    def failed(self):
        return sum(1 for r in self.results if not r[0])

    def failed_names(self):
        return [r[1] for r in self.results if not r[0]]

    def check(self, name, passed, ours, expected, note=""):
        self.results.append((bool(passed), name, ours, expected, note))
        line = f"{'PASS' if passed else 'FAIL'} {name}: {ours}, expected {expected}"
        line += f" ({note})" if note else ""
        print(line, flush=True)
        self.log.write(line + "\n")
        self.log.flush()
        return bool(passed)

    @property
    def seconds_left(self):
        return self.deadline - time.monotonic()

    def equal(self, name, ours, expected, note=""):
        return self.check(name, ours == expected, ours, expected, note)

    def group(self, name, function):
        self.log.write(f"===== group {name}\n")
        try:
            function(self)
        except Exception:  # a bug here must not hide the results so far
            self.log.write(traceback.format_exc())
            last = traceback.format_exc().strip().splitlines()
            self.check(f"{name}: the checks themselves", False, last[-1], "no exception", last[-3].strip())

    def each(self, name, function, *arguments):
        """Runs one named part of a group: skipped by ONLY, refused when time is up."""
        if self.only and self.only not in name:
            return
        if self.seconds_left < 0:
            self.check(name, False, "not run: out of time", "run", "raise BUDGET")
            return
        begin = time.monotonic()
        try:
            function(self, name, *arguments)
        except Exception as error:
            self.log.write(traceback.format_exc())
            where = traceback.extract_tb(error.__traceback__)[-1]
            self.check(f"{name}: the check itself", False, repr(error), "no exception",
                       f"{os.path.basename(where.filename)}:{where.lineno}")
        print(f"     {name} took {time.monotonic() - begin:.1f} s", flush=True)

    # Children

    def path(self, name):
        """A fresh path in this run's own temporary folder."""
        self.serial += 1
        return os.path.join(self.temp, f"{self.serial}-{name}")

    def built(self, name):
        return os.path.join(self.build, name)

    def environment(self, profiled, **extra):
        env = {k: v for k, v in os.environ.items()
               if not k.startswith("GAPSCOPE_") and "INJECTION64_PATH" not in k}
        if self.libraries:
            env["LD_LIBRARY_PATH"] = ":".join(
                filter(None, [env.get("LD_LIBRARY_PATH", "")] + self.libraries))
        if profiled:
            env["CUDA_INJECTION64_PATH"] = self.built("libgapscope.so")
        env.update({k: str(v) for k, v in extra.items()})
        return env

    def run(self, name, argv, profiled, timeout_s=120, cwd=None, **extra):
        """Runs argv to its end or its time limit and logs it."""
        env = self.environment(profiled, **extra)
        begin = time.monotonic()
        with tempfile.TemporaryFile() as errors:
            child = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                     stderr=errors, env=env, cwd=cwd, start_new_session=True)
            self.child_pid = child.pid
            reader = _Reader(child.stdout)
            killer = _Killer(child.pid, min(timeout_s, max(self.seconds_left + GRACE_S, 5)))
            status = child.wait()
            self.child_pid = None
            end = time.monotonic()
            killer.stop()
            killer.kill_rest()  # workers that outlived their parent hold the pipe open
            reader.join()
            errors.seek(0)
            stderr = errors.read().decode("utf-8", "replace")
        result = Child(name, status, reader.text(), stderr, end - begin,
                       end - (reader.last or begin), killer.fired)
        self._log_child(result, argv, extra)
        return result

    def profile(self, name, argv, timeout_s=120, cwd=None, injected=True, **extra):
        """Runs argv under the library; returns the child and its report, None if there is none."""
        path = self.path("report.json")
        child = self.run(name, argv, injected, timeout_s, cwd, GAPSCOPE_REPORT=path, **extra)
        return child, self.load(name, path)

    def load(self, name, path):
        """Parses a report and keeps it; None, with a line in the log, when it cannot be read."""
        try:
            with open(path, encoding="utf-8") as f:
                report = json.load(f)
        except (OSError, ValueError) as error:
            self.log.write(f"----- no report of {name}: {type(error).__name__}\n")
            return None
        self.kept.write(json.dumps({"check": name, "report": report}) + "\n")
        return report

    def broken_rules(self, report):
        """What the C++ checker of the other tests finds in a report, where it was built."""
        checker = self.built("report_check")
        if not os.path.exists(checker):
            return []
        path = self.path("checked.json")
        with open(path, "w", encoding="utf-8") as f:
            json.dump(report, f)
        done = subprocess.run([checker, path], capture_output=True, text=True, timeout=60)
        return done.stdout.splitlines() or ([f"report_check ends with {done.returncode}"] if done.returncode else [])

    def keep(self, name, path):
        """Copies a file to OUT."""
        shutil.copyfile(path, os.path.join(self.out, name))

    def close(self):
        self.kept.close()
        self.log.close()
        shutil.rmtree(self.temp, ignore_errors=True)

    def _log_child(self, c, argv, extra):
        shown = " ".join(f"{k}={v}" for k, v in extra.items())
        self.log.write(f"----- {c.name}: {shown} {' '.join(argv)}\n"
                       f"      {c.ending}, {c.wall_s:.2f} s, {c.tail_s:.3f} s after its last output\n")
        for label, text in (("stdout", c.stdout), ("stderr", c.stderr)):
            if len(text) > MAX_LOGGED:
                half = MAX_LOGGED // 2
                text = text[:half] + f"\n[{len(text) - MAX_LOGGED} characters left out]\n" + text[-half:]
            if text:
                self.log.write(f"----- {label}\n{text.rstrip()}\n")
        self.log.flush()

    def _library_folders(self):
        """Where the CUDA libraries of PyTorch's wheels are, if the programs cannot start without."""
        program = self.built("cpp_train")
        if not os.path.exists(program):
            program = self.built("launch_threads")
        try:
            listing = subprocess.run(["ldd", program], capture_output=True, text=True, timeout=60).stdout
        except (OSError, subprocess.TimeoutExpired):
            return []
        if "not found" not in listing:
            return []
        folders = set()
        for base in {sysconfig.get_paths()["purelib"], sysconfig.get_paths()["platlib"]}:
            folders.update(glob.glob(os.path.join(base, "nvidia", "*", "lib")))
        self.log.write(f"programs need LD_LIBRARY_PATH:\n{listing}{sorted(folders)}\n")
        return sorted(folders)


class _Reader(threading.Thread):
    """Takes a child's stdout and remembers when the last of it came."""

    def __init__(self, pipe):
        super().__init__(daemon=True)
        self.pipe, self.parts, self.last = pipe, [], None
        self.start()

    def run(self):
        while True:
            part = os.read(self.pipe.fileno(), 65536)
            if not part:
                return
            self.last = time.monotonic()
            self.parts.append(part)

    def join(self, timeout=10):
        super().join(timeout)
        if not self.is_alive():
            self.pipe.close()

    def text(self):
        return b"".join(self.parts).decode("utf-8", "replace")


class _Killer:
    """Kills a process group when its time is up. Signals only the group of the child it was given."""

    def __init__(self, group, timeout_s):
        self.group_id, self.fired = group, False
        self.timer = threading.Timer(timeout_s, self._fire)
        self.timer.daemon = True
        self.timer.start()

    def _fire(self):
        self.fired = True
        self.kill_rest()

    def stop(self):
        self.timer.cancel()

    def kill_rest(self):
        try:
            os.killpg(self.group_id, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass


def python(script, *arguments):
    return [sys.executable, script, *map(str, arguments)]
