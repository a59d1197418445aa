#!/usr/bin/env python3
"""The installed wheel at work.  usage: wheel_check.py VENV SOURCE   (the preset release is built)

Runs the tests of the Python module (tests/pipeline/test_python_module.py) with the wheel's own library and
program, then once more as in a conda environment whose libstdc++ is older than anybody's compiler,
then under every Python that this machine has.
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

VENV, SOURCE = (os.path.abspath(path) for path in sys.argv[1:3])
BUILD = os.path.join(SOURCE, "build", "release")
OLD_LIBSTDCXX = "GLIBCXX_3.4 { global: *; };\n"


def run(command, env=None, code=0):
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("GAPSCOPE_", "PYTHON", "CUDA_", "NVTX_"))}
    done = subprocess.run(command, env={**clean, **(env or {})}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=600, check=False)
    if done.returncode != code:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}, not {code}\n{done.stdout}\n{done.stderr}")
    return done


def old_prefix(folder):
    """A libstdc++.so.6 without anything that a compiler of this century uses."""
    script = os.path.join(folder, "versions")
    with open(script, "w", encoding="utf-8") as file:
        file.write(OLD_LIBSTDCXX)
    for name in ("libstdc++.so.6", "libgcc_s.so.1"):
        run(["gcc", "-shared", "-nostdlib", "-x", "c", "/dev/null", f"-Wl,--version-script={script}",
             f"-Wl,-soname,{name}", "-o", os.path.join(folder, name)])
    return folder


def module_tests(build, env):
    """The pipeline's tests of the module in a build folder whose binaries are the wheel's."""
    sys.path.insert(0, os.path.join(SOURCE, "tests", "pipeline"))
    import pipeline  # pylint: disable=import-outside-toplevel
    names = [name for name in pipeline.all_tests() if name.startswith("module_")]
    if not names:
        sys.exit("no test of the module")
    command = [os.path.join(VENV, "bin", "python"), "-B", os.path.join(SOURCE, "tests", "pipeline", "pipeline.py"),
               "--build", build, *names]
    print(run(command, env).stdout, end="")


def main():
    program = os.path.join(VENV, "bin", "gapscope")
    package = run([os.path.join(VENV, "bin", "python"), "-c", "import gapscope; print(gapscope.__path__[0])"]).stdout.strip()
    if not package.startswith(VENV):
        sys.exit(f"another gapscope: {package}")
    with tempfile.TemporaryDirectory(prefix="gapscope-wheel-") as folder:
        build = os.path.join(folder, "build")
        os.mkdir(build)
        for name in ("libfake_program.so", "fake_cupti", "bench_fake_cuda", "report_check"):
            os.symlink(os.path.join(BUILD, name), os.path.join(build, name))
        for name in ("bin/gapscope", "lib/libgapscope.so", "lib/libgapscope_preload.so"):
            shutil.copy(os.path.join(package, name), build)
        conda = old_prefix(folder)
        for what, env in (("as it is", {}), ("an older libstdc++ first", {"LD_LIBRARY_PATH": conda})):
            print(f"-- {what}")
            print(run([program, "--version"], env).stdout, end="")
            # `show`, `replay` of a recording: exceptions, files, threads of the program itself.
            run([program, "replay", os.path.join(SOURCE, "samples", "demo.gsrec")], env)
            module_tests(build, env)
        fake = {"LD_LIBRARY_PATH": os.path.join(BUILD, "bench_fake_cuda"),
                "GAPSCOPE_CUPTI_PATH": os.path.join(BUILD, "fake_cupti", "13", "libcupti.so.13")}
        print(run([program, "doctor"], fake).stdout, end="")
        run([program, "run", "--", "sh", "-c", "exit 7"], code=7)
    for python in sorted(glob.glob("/usr/bin/python3.[0-9]*") + glob.glob(os.path.expanduser("~/.pyenv/versions/*/bin/python3"))):
        version = run([python, "-c", "import sys; print(*sys.version_info[:2])"]).stdout.split()
        if len(version) == 2 and (int(version[0]), int(version[1])) >= (3, 9):
            run([python, "-B", "-W", "error", "-c", "import gapscope; gapscope.step()\nwith gapscope.range('x'): pass"],
                {"PYTHONPATH": os.path.dirname(package)})
            print(f"imported by Python {'.'.join(version)}")


if __name__ == "__main__":
    main()
