"""Runs the fake CUDA program under the real library in a child process, and reads what it left."""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "gpu"))
import reports  # noqa: E402

import oracle  # noqa: E402

# A variable that a test sets and the library refuses: then the default is what is tested.
REFUSED = re.compile(r"gapscope\[\d+\]: (GAPSCOPE_\w+)(?:=.* is not | is )")
# What a hang looks like. Not a speed limit: sanitizers and a busy machine take their time.
TIMEOUT_S = 120
NOT_INHERITED = re.compile(r"GAPSCOPE_|FAKE_|CUDA_|NVTX_|RANK$|WORLD_SIZE$|OMPI_|SLURM_|LD_PRELOAD$")


class Run:
    """One run of the program: stdout, stderr, code, truth, log, and the report unless it has none."""

    def __init__(self, paths, process, injected):
        self.paths = paths
        self.injected = injected
        self.code = process.returncode
        self.stdout = process.stdout
        self.stderr = process.stderr
        self.truth = self._json("truth")
        self.report = self._json("report")
        self.log = self._lines("log")

    def _json(self, name):
        if not os.path.exists(self.paths[name]):
            return None
        with open(self.paths[name], encoding="utf-8") as f:
            return json.load(f)

    def _lines(self, name):
        if not os.path.exists(self.paths[name]):
            return []
        with open(self.paths[name], encoding="utf-8") as f:
            return f.read().splitlines()

    def violations(self):
        return [line for line in self.log if line.startswith("violation: ")]

    def events(self, text):
        return [line for line in self.log if line.startswith("event: ") and text in line]

    def lines(self, text):
        return [line for line in self.stderr.decode().splitlines() if text in line]


class Pipeline:
    """Where the binaries are, and a folder for one test's files."""

    def __init__(self, build, sanitize=""):
        self.build = os.path.abspath(build)
        self.sanitize = sanitize
        self.folder = tempfile.TemporaryDirectory(prefix="gapscope-pipeline-")
        self.runs = 0
        self.started = []  # programs that wait for a word (running.py)

    def end_all(self):
        """A test that failed leaves its program, and what that started, waiting."""
        for process in self.started:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def path(self, *parts):
        return os.path.join(self.build, *parts)

    def cupti(self, major=13):
        return self.path("fake_cupti", str(major), f"libcupti.so.{major}")

    def file(self, name):
        return os.path.join(self.folder.name, name)

    def snapshots(self):
        """Where snapshots lie, instead of the user's real folder."""
        return self.file("snapshots")

    def environment(self, more):
        env = {k: v for k, v in os.environ.items() if not NOT_INHERITED.match(k)}
        if "thread" in self.sanitize:
            env.setdefault("TSAN_OPTIONS", "halt_on_error=0 exitcode=66")
        env.update({k: str(v) for k, v in more.items() if v is not None})
        return env

    def run(self, scenario, *args, env=None, library=True, cupti=13, mapped=False, report=True,
            program="fake_driver", before=None, refused=()):
        """mapped: the program maps libcupti itself, instead of GAPSCOPE_CUPTI_PATH naming it.
        before: called in the child before it executes the program.
        refused: variables whose name or value the library is to refuse; any other is an error."""
        self.runs += 1
        paths = {n: self.file(f"{n}{self.runs}") for n in ("truth", "log", "report")}
        variables = {"FAKE_CUPTI_LOG": paths["log"], "GAPSCOPE_SNAPSHOT": self.snapshots()}
        command = [self.path(program), scenario, "--truth", paths["truth"], *map(str, args)]
        if library:
            variables["CUDA_INJECTION64_PATH"] = self.path("libgapscope.so")
            if report:
                variables["GAPSCOPE_REPORT"] = paths["report"]
        if mapped:
            command += ["--cupti", self.cupti(cupti)]
        elif cupti:
            variables["GAPSCOPE_CUPTI_PATH"] = self.cupti(cupti) if library else None
        variables.update(env or {})
        process = subprocess.run(command, env=self.environment(variables), stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=TIMEOUT_S,
                                 preexec_fn=before)
        complaints = REFUSED.findall(process.stderr.decode(errors="replace"))
        equal(sorted(set(complaints)), sorted(refused), f"variables refused: {process.stderr.decode()}")
        return Run(paths, process, variables.get("CUDA_INJECTION64_PATH") is not None)

    def replay(self, recording):
        """The report of a recording, as `gapscope replay --report` writes it."""
        out = self.file("replayed.json")
        process = subprocess.run([self.path("gapscope"), "replay", recording, "--report", out],
                                 env=self.environment({}), stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=TIMEOUT_S)
        return process, out

    def holds(self, report_path):
        """The invariants of tests/unit/report_invariants.h, one line for each that is broken."""
        process = subprocess.run([self.path("report_check"), report_path], env=self.environment({}),
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIMEOUT_S)
        return process.stdout.decode().splitlines() if process.returncode else []


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def equal(actual, expected, what):
    check(actual == expected, f"{what}: {actual!r}, expected {expected!r}")


def expected_stdout(scenario):
    return f"training {scenario}\nloss 0.25\n".encode()


def sound(pipeline, run, scenario, code=0):
    """What holds whatever the scenario: the program undisturbed, CUPTI's rules kept, time adds up."""
    equal(run.stdout, expected_stdout(scenario), "stdout")
    equal(run.code, code, f"exit code (stderr: {run.stderr.decode()})")
    equal(run.violations(), [], "rules of CUPTI broken")
    check(b"\x1b" not in run.stderr, "escape sequences, and stderr is no terminal")
    check(run.report is not None, f"no report written; stderr: {run.stderr.decode()}")
    equal(pipeline.holds(run.paths["report"]), [], "invariants")
    equal(reports.violations(run.report), [], "invariants")
    equal(run.report["process"]["pid"], run.truth["pid"], "pid")
    equal(run.truth["values"]["injected"], 1 if run.injected else 0, "InitializeInjection's result")


def quality(run, **expected):
    """Counts of records set aside: those named, all others 0."""
    for name in ("dropped_ring", "dropped_cupti", "invalid", "incomplete", "unmatched", "orphaned",
                 "late", "captured", "failed", "overflow"):
        equal(run.report["records"][name], expected.get(name, 0), f"records.{name}")


def same_figures(run, unknown=False):
    """Every figure of the devices, kernels, copies and calls equals the truth's, to the nanosecond."""
    devices = {d["device"]: d for d in run.report["devices"]}
    everything = oracle.operations(run.truth)
    equal(sorted(devices), sorted({o["device"] for o in everything}), "devices")
    for number, device in devices.items():
        ops = oracle.operations(run.truth, number)
        wanted = oracle.split(ops)
        gaps = wanted.pop("gaps")
        if unknown:
            equal(device["idle_ns"] + device["unknown_ns"], wanted.pop("idle_ns"), "idle + unknown")
        else:
            equal(device["unknown_ns"], 0, "unknown_ns")
            equal(device["gaps"]["count"], gaps, "gaps")
        for key, value in wanted.items():
            equal(device[key], value, f"device {number} {key}")
        equal({k["full_name"]: (k["calls"], k["total_ns"], k["min_ns"], k["max_ns"])
               for k in device["kernels"]}, oracle.kernels(ops), f"device {number} kernels")
        equal(_copies(run.report, number), oracle.copies(ops), f"device {number} copies")
    same_calls(run)


def _copies(report, device):
    table = {}
    for c in report["copies"]:
        if c["device"] == device:
            old = table.get(c["direction"], (0, 0, 0))
            table[c["direction"]] = tuple(map(sum, zip(old, (c["count"], c["bytes"], c["total_ns"]))))
    return table


def same_calls(run):
    seen = {c["name"]: c for c in run.report["host_calls"]}
    for name, truth in run.truth["calls"].items():
        check(name in seen, f"call {name} not in the report ({sorted(seen)})")
        for key, what in (("calls", "count"), ("failed", "failed"), ("captured", "captured")):
            equal(seen[name][key], truth[what], f"{name} {key}")
        check(0 < seen[name]["total_ns"] <= truth["total_ns"], f"{name} time within the call's own")
    equal(sorted(seen), sorted(run.truth["calls"]), "names of calls")
