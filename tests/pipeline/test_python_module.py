"""`import gapscope`, laid out as its wheel does, in programs that use the fake CUDA."""
import json
import os
import re
import shutil
import subprocess
import sys

from harness import TIMEOUT_S, check, equal

HERE = os.path.dirname(os.path.abspath(__file__))
OPERATIONS, STEPS = 200, 30
SOURCE = os.path.join(HERE, "..", "..", "lib", "python", "gapscope")


class Module:
    """The package in a folder of its own, its library and program those of the build."""

    def __init__(self, p):
        self.p = p
        self.site = p.file("site")
        self.package = os.path.join(self.site, "gapscope")
        shutil.copytree(SOURCE, self.package, ignore=shutil.ignore_patterns("__pycache__"))
        for folder, names in (("lib", ("libgapscope.so", "libgapscope_preload.so")), ("bin", ("gapscope",))):
            os.mkdir(os.path.join(self.package, folder))
            for name in names:
                os.symlink(p.path(name), os.path.join(self.package, folder, name))
        self.library = os.path.join(self.package, "lib", "libgapscope.so")

    def python(self, *arguments, env=None, cwd=None):
        variables = {"PYTHONPATH": self.site, "PYTHONDONTWRITEBYTECODE": 1, "GAPSCOPE_CUPTI_PATH": self.p.cupti(),
                     "GAPSCOPE_SNAPSHOT": self.p.snapshots(), "FAKE_CUPTI_LOG": self.p.file("log"), **(env or {})}
        return subprocess.run([sys.executable, *arguments], env=self.p.environment(variables), cwd=cwd or self.site,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=TIMEOUT_S, text=True, check=False)

    def program(self, how, env=None):
        """Ends well; what it printed, and its stderr."""
        done = self.python(os.path.join(HERE, "module_program.py"), self.p.path("libfake_program.so"), how,
                           str(OPERATIONS), str(STEPS), env=env)
        equal(done.returncode, 0, f"exit code; stderr: {done.stderr}")
        lines = [line for line in done.stdout.splitlines() if line.startswith("JSON ")]
        out = json.loads(lines[0][len("JSON "):])
        check(out["file"].startswith(self.site), out["file"])
        return out, done

    def report(self, how, env=None):
        path = self.p.file("report.json")
        out, done = self.program(how, {"GAPSCOPE_REPORT": path, **(env or {})})
        equal(self.p.holds(path), [], "invariants")
        with open(path, encoding="utf-8") as file:
            return out, done, json.load(file)


def ranges_of(report):
    return {entry["path"]: entry["calls"] for entry in report["ranges"]}


def test_module_marks(p):
    module = Module(p)
    out, done, report = module.report("marks")
    equal(out["before_import"], {name: None for name in out["variables"]}, "variables before")
    equal(set(out["variables"].values()), {module.library}, "variables after")
    equal(report["records"]["seen"], OPERATIONS * (STEPS + 2), "records.seen")
    nested = ["/".join(["decorated"] * depth) for depth in (1, 2, 3)]
    # CUDA, and with it recording, starts inside the first one.
    equal(ranges_of(report), {"forward": STEPS - 1, "fails": 1, **{path: 1 for path in nested}}, "ranges")
    equal(report["steps"]["source"], "marked", "steps")
    check(report["steps"]["count"] + report["steps"]["warmup_steps"] in (STEPS - 1, STEPS), report["steps"])
    equal(done.stderr.count("GPU 0"), 1, done.stderr)
    check(out["raised"], "an exception passes through a range")


def test_module_report(p):
    out, done = Module(p).program("reports")
    check("no session is running" in out["before"] and "import gapscope" in out["before"], out["before"])
    equal((out["recording"], out["seen"], out["end_ns"]), (True, OPERATIONS, 0), "as of then")
    check(re.search(r"<gapscope.Report GPU 0: [\d.]+ % compute, [\d.]+ % idle of [\d.]+ s>", out["repr"]), out["repr"])
    check(out["html"].lower().startswith('<iframe srcdoc="&lt;!doctype html&gt;'), out["html"][:200])
    equal(out["html"].count('"'), 6, "quotes in the frame: three attributes")
    check("GPU 0" in out["text"] and max(map(len, out["text"].splitlines())) <= 80, out["text"])
    check(out["same"], "what is saved reads back")
    equal((out["stopped"], out["whole_seen"], out["still"], out["again"]), (True, 2 * OPERATIONS, False, False),
          "after stop()")
    check(out["whole_end_ns"] > 0, "the whole report")
    check("GPU 0" in done.stdout, "print()")
    equal(done.stderr.count("GPU 0"), 1, done.stderr)


def test_module_start_and_stop(p):
    out, done = Module(p).program("start_and_stop")
    equal([out[k] for k in ("started", "recording", "stopped", "mine")], [True, True, True, OPERATIONS], "start, stop")
    equal(done.stderr, "", "stderr of a quiet session")


def test_module_counted_ranges(p):
    out, _, report = Module(p).report("counted_ranges", {"GAPSCOPE_CAPTURE": "range"})
    equal((out["started"], out["stopped"]), (True, True), "start, stop")
    equal(report["records"]["outside"], 2 * OPERATIONS, "operations outside")
    equal(report["devices"][0]["operations"], 2 * OPERATIONS, "operations inside")


def nothing(out, done, why):
    equal((out["started"], out["stopped"], out["raised"]), (False, False, True), "start, stop")
    check(why in out["report"], out["report"])
    check("GPU 0" not in done.stderr, done.stderr)


def test_module_switched_off(p):
    out, done = Module(p).program("without", {"GAPSCOPE_ENABLED": 0})
    equal(set(out["variables"].values()), {None}, "variables")
    nothing(out, done, "no session is running")
    equal(done.stderr, "", "stderr")


def test_module_another_tool(p):
    out, done = Module(p).program("started_already", {"CUDA_INJECTION64_PATH": "/opt/tool/libinject.so"})
    equal(out["variables"], {"CUDA_INJECTION64_PATH": "/opt/tool/libinject.so", "NVTX_INJECTION64_PATH": None},
          "variables")
    equal(done.stderr.count("another tool's"), 1, done.stderr)


def test_module_of_gapscope_run(p):
    """The copy that the driver loads is the one that the module calls."""
    module = Module(p)
    own = p.path("libgapscope.so")
    out, _, report = module.report("marks", {"CUDA_INJECTION64_PATH": own, "NVTX_INJECTION64_PATH": own})
    equal(set(out["variables"].values()), {own}, "variables")
    equal(ranges_of(report)["forward"], STEPS - 1, "ranges")


def test_module_without_library(p):
    module = Module(p)
    os.remove(module.library)
    out, done = module.program("without")
    equal(set(out["variables"].values()), {None}, "variables")
    nothing(out, done, f"{module.library} is not there")
    with open(module.library, "w", encoding="utf-8") as file:
        file.write("no library")
    # The fake driver says no word about a library that it cannot load.
    out, done = module.program("without")
    nothing(out, done, "cannot be loaded")


def test_module_late(p):
    """A torch that has started CUDA by then; the module can only ask torch."""
    module = Module(p)
    torch = os.path.join(module.site, "torch")
    os.mkdir(torch)
    for name, text in (("__init__.py", ""), ("cuda.py", "def is_initialized(): return True\n")):
        with open(os.path.join(torch, name), "w", encoding="utf-8") as file:
            file.write(text)
    done = module.python("-c", "import torch.cuda, gapscope")
    equal((done.returncode, done.stdout), (0, ""), done.stderr)
    equal(done.stderr.count("import gapscope came after CUDA had started"), 1, done.stderr)
    equal(module.python("-c", "import gapscope, torch.cuda").stderr, "", "in the right order")


def test_module_program(p):
    """The console script becomes the program, in the environment that it was called in."""
    module = Module(p)
    script = ["-c", "from gapscope._program import main; main()"]
    version = module.python(*script, "--version")
    equal((version.returncode, version.stdout, version.stderr),
          (0, f"gapscope {module.python('-c', 'import gapscope; print(gapscope.__version__)').stdout}", ""), "--version")
    show = ["run", "--", "sh", "-c", "echo $CUDA_INJECTION64_PATH; exit 7"]
    done = module.python(*script, *show)
    equal((done.returncode, os.path.realpath(done.stdout.strip()), done.stderr),
          (7, os.path.realpath(module.library), ""), "gapscope run")
    doctor = module.python("-m", "gapscope", "doctor")
    check(re.search(r"ok +CUDA_INJECTION64_PATH +not set", doctor.stdout), doctor.stdout)
    os.remove(os.path.join(module.package, "bin", "gapscope"))
    missing = module.python(*script, "--version")
    equal(missing.returncode, 1, "exit code")
    check("bin/gapscope: No such file" in missing.stderr, missing.stderr)


def test_module_interface(p):
    """What ctypes is told agrees with the header: a wrong field would read what is not there."""
    module = Module(p)
    done = module.python("-c", "import gapscope._library as l; print([n for n, _ in l.Options._fields_])")
    with open(os.path.join(HERE, "..", "..", "include", "gapscope", "gapscope.h"), encoding="utf-8") as file:
        header = file.read()
    struct = re.search(r"typedef struct gapscope_options {(.*?)} gapscope_options;", header, re.S).group(1)
    struct = re.sub(r"/\*.*?\*/", "", struct, flags=re.S)
    equal(done.stdout.strip(), str(re.findall(r"(\w+);", struct)), "fields of gapscope_options")
    version = re.search(r'GAPSCOPE_VERSION_STRING "(.*)"', header).group(1)
    equal(module.python("-c", "import gapscope; print(gapscope.__version__)").stdout, version + "\n", "version")
