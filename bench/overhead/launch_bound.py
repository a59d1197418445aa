#!/usr/bin/env python3
"""What the library costs a launch-bound PyTorch step: interleaved runs, paired ratios.

For a machine with a GPU and PyTorch:

    bench/overhead/launch_bound.py --build build/release --case small_kernels.py --rounds 9

Each round runs the case once in every mode, one after the other; a mode's ratio is its median step
over the same round's step without any tool. Prints a Markdown table: the median ratio over the
rounds and its spread (smallest and largest). The modes: no tool, the library, the library without
host evidence (GAPSCOPE_HOST=0).
"""
import argparse
import os
import re
import statistics
import subprocess
import sys

MODES = {
    "no tool": None,
    "gapscope": {},
    "gapscope, GAPSCOPE_HOST=0": {"GAPSCOPE_HOST": "0"},
}


def step_ms(args, extra):
    env = dict(os.environ)
    for name in list(env):
        if name.startswith("GAPSCOPE_") or name.endswith("_INJECTION64_PATH"):
            del env[name]
    if extra is not None:
        env.update(extra, CUDA_INJECTION64_PATH=os.path.abspath(f"{args.build}/libgapscope.so"),
                   GAPSCOPE_QUIET="1")
    command = [sys.executable, os.path.basename(args.case), "--steps", str(args.steps)]
    out = subprocess.run(command, env=env, cwd=os.path.dirname(os.path.abspath(args.case)),
                         capture_output=True, text=True, timeout=120, check=True).stdout
    return float(re.search(r"step ms p50 ([\d.]+)", out)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--case", required=True, help="a workload that prints 'step ms p50 N'")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--steps", type=int, default=100)
    args = parser.parse_args()
    rounds = []
    for number in range(args.rounds):
        # The order turns, so that no mode always follows the same one.
        order = list(MODES)[number % len(MODES):] + list(MODES)[:number % len(MODES)]
        rounds.append({mode: step_ms(args, MODES[mode]) for mode in order})
    print(f"| {os.path.basename(args.case)}, {args.rounds} rounds | step ms (median) | ratio to no tool "
          "(median) | smallest to largest |")
    print("| --- | --- | --- | --- |")
    for mode in MODES:
        ratios = [r[mode] / r["no tool"] for r in rounds]
        print(f"| {mode} | {statistics.median(r[mode] for r in rounds):.2f} "
              f"| {statistics.median(ratios):.3f} | {min(ratios):.3f} to {max(ratios):.3f} |")
    pairs = [r["gapscope"] / r["gapscope, GAPSCOPE_HOST=0"] for r in rounds]
    print(f"\nHost evidence alone: median ratio {statistics.median(pairs):.3f} "
          f"({min(pairs):.3f} to {max(pairs):.3f}).")


if __name__ == "__main__":
    main()
