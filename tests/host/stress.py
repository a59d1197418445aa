"""Starts and stops stress_program.py many times, watched, and expects what it does unwatched: its
output, the exit code that it announced, no crash, no hang.

usage: stress.py COUNT"""
import os
import subprocess
import sys
import time

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "stress_program.py")
HANGS_AFTER_S = 60


def run(seed, environment):
    child = subprocess.run([sys.executable, "-W", "ignore", PROGRAM, str(seed)], env=environment,
                           capture_output=True, timeout=HANGS_AFTER_S)
    return child.returncode, child.stdout, child.stderr


def main():
    count = int(sys.argv[1])
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    if "GAPSCOPE_HOST_PROBE" not in os.environ:
        sys.exit("GAPSCOPE_HOST_PROBE must name the library")
    failures = 0
    begin = time.monotonic()
    for seed in range(first, first + count):
        try:
            code, out, err = run(seed, dict(os.environ))
        except subprocess.TimeoutExpired:
            print("seed %d hangs" % seed)
            failures += 1
            continue
        problem = None
        if out != b"result 4950 code %d\n" % code:
            problem = "output %r, exit code %d" % (out, code)
        elif err:
            problem = "stderr"
        if problem:
            print("seed %d: %s\n%s" % (seed, problem, err.decode(errors="replace")))
            failures += 1
    print("%d starts, %d failures, %.0f s" % (count, failures, time.monotonic() - begin))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
