"""Runs one test of the command line: cli.py --build FOLDER --source FOLDER NAME.

Tests are the functions test_NAME of the test_*.py files here; each gets a Cli and its folder.
Only Python's standard library is needed.
"""
import argparse
import glob
import importlib.util
import json
import os
import subprocess
import sys
import tempfile


class Result:
    def __init__(self, process):
        self.code = process.returncode
        self.out = process.stdout.decode(errors="replace")
        self.err = process.stderr.decode(errors="replace")

    def expect(self, code, err=""):
        """The exit code, and stderr: empty, or one line that holds err."""
        assert self.code == code, f"exit code {self.code}, not {code}\n{self.out}\n{self.err}"
        if err == "":
            assert self.err == "", f"on stderr: {self.err}"
        else:
            assert err in self.err, f"no {err!r} in {self.err!r}"
            assert self.err.startswith("gapscope: ") and self.err.count("\n") == 1, self.err
        return self


class Cli:
    def __init__(self, build, source, folder):
        self.build = build
        self.source = source
        self.folder = folder
        self.gapscope = os.path.join(build, "gapscope")

    def path(self, name):
        return os.path.join(self.folder, name)

    def environment(self, extra=None):
        kept = {k: v for k, v in os.environ.items()
                if not k.startswith("GAPSCOPE_") and k not in ("NO_COLOR", "LC_ALL", "LC_CTYPE")}
        kept["LANG"] = "C.UTF-8"
        kept.update(extra or {})
        return kept

    def run(self, *arguments, env=None, timeout=120, **options):
        return Result(subprocess.run([self.gapscope, *arguments], stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                                     cwd=self.folder, env=self.environment(env), timeout=timeout,
                                     **options))

    def record(self, name, *arguments):
        """Writes a recording of a made-up run; returns its path and what must come out of it."""
        path = self.path(name)
        done = subprocess.run([os.path.join(self.build, "make_recording"), path, *arguments],
                              stdout=subprocess.PIPE, check=True, timeout=60)
        return path, json.loads(done.stdout)

    def report(self, name, *arguments):
        """A report of such a run: its path and content."""
        recording, _ = self.record(name + ".gsrec", *arguments)
        path = self.path(name + ".json")
        self.run("replay", recording, "--report", path, "-q").expect(0)
        return path, load(path)


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def write(path, content):
    with open(path, "wb") as file:
        file.write(content)
    return path


def read(path):
    with open(path, "rb") as file:
        return file.read()


def find(name):
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path.insert(0, here)
    for path in sorted(glob.glob(os.path.join(here, "test_*.py"))):
        spec = importlib.util.spec_from_file_location(os.path.basename(path)[:-3], path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        if hasattr(module, "test_" + name):
            return getattr(module, "test_" + name)
    raise SystemExit(f"no test {name}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("name")
    arguments = parser.parse_args()
    test = find(arguments.name)
    with tempfile.TemporaryDirectory(prefix="gapscope_cli_") as folder:
        test(Cli(arguments.build, arguments.source, folder))


if __name__ == "__main__":
    main()
