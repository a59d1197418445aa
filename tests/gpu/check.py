"""Entry point of the GPU checks: looks at the machine, runs the chosen groups, writes the results."""
import argparse
import datetime
import json
import os
import subprocess
import sys

import group_cases
import group_endings
import group_multi
import group_planted
import group_programs
import group_quick
import group_soak
from harness import Context

GROUPS = {
    "quick": group_quick.run,
    "programs": group_programs.run,
    "planted": group_planted.run,
    "endings": group_endings.run,
    "cases": group_cases.run,
    "multi": group_multi.run,
    "soak": group_soak.run,
}
DEFAULT = ["programs", "planted", "endings", "cases", "multi"]

PROBE = """
import json, sys
try:
    import torch
except ImportError as error:
    print(json.dumps({"problem": f"no PyTorch: {error}"})); sys.exit()
if not torch.cuda.is_available():
    print(json.dumps({"problem": "PyTorch sees no CUDA GPU"})); sys.exit()
print(json.dumps({"gpus": torch.cuda.device_count(), "gpu": torch.cuda.get_device_name(0),
                  "torch": torch.__version__, "cuda": torch.version.cuda}))
"""


def machine():
    """What this machine has, or exits with 2 and the reason. Warms the page cache for torch too."""
    try:
        probe = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, timeout=180)
        facts = json.loads(probe.stdout.strip().splitlines()[-1])
    except (subprocess.TimeoutExpired, ValueError, IndexError) as error:
        facts = {"problem": f"asking PyTorch for the GPU failed: {error!r}"}
    if "problem" in facts:
        print(f"tests/gpu: {facts['problem']}; nothing was checked", file=sys.stderr)
        sys.exit(2)
    facts["driver"] = "unknown"
    try:
        query = subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"],
                               capture_output=True, text=True, timeout=60)
        if query.returncode == 0 and query.stdout.strip():
            facts["driver"] = query.stdout.split()[0]
    except (OSError, subprocess.TimeoutExpired):
        pass
    return facts


def write_markdown(context, facts, groups):
    day = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    lines = [
        f"Date {day} (UTC), {facts['gpus']} x {facts['gpu']}, driver {facts['driver']}, "
        f"PyTorch {facts['torch']} (CUDA {facts['cuda']}), groups: {', '.join(groups)}.",
        "",
        f"{context.passed} passed, {context.failed} failed.",
        "",
        "| | check | gapscope | expected | note |",
        "| --- | --- | --- | --- | --- |",
    ]
    for r in context.results:
        cells = [str(c).replace("|", "\\|").replace("\n", " ") for c in r[1:]]
        lines.append(f"| {'PASS' if r[0] else 'FAIL'} | " + " | ".join(cells) + " |")
    with open(os.path.join(context.out, "results.md"), "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("groups", nargs="*", metavar="group", help=", ".join(GROUPS))
    parser.add_argument("--build", required=True)
    parser.add_argument("--cases", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--budget", type=float, default=540)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    groups = options.groups or DEFAULT
    for group in groups:
        if group not in GROUPS:
            parser.error(f"unknown group {group}; there are: {', '.join(GROUPS)}")
    facts = machine()
    context = Context(options.build, options.cases, options.out, options.budget, options.only)
    context.gpus = facts["gpus"]
    for needed in ("libgapscope.so", "gapscope"):
        if not os.path.exists(os.path.join(context.build, needed)):
            print(f"tests/gpu: {needed} is not in the build folder; build the preset release first",
                  file=sys.stderr)
            sys.exit(2)
    print(f"{facts['gpus']} x {facts['gpu']}, driver {facts['driver']}, PyTorch {facts['torch']}")
    try:
        for group in groups:
            context.group(group, GROUPS[group])
    finally:
        write_markdown(context, facts, groups)
        context.close()
    for name in context.failed_names():
        print(f"failed: {name}")
    print(f"{context.passed} passed, {context.failed} failed", flush=True)
    sys.exit(1 if context.failed else 0)


if __name__ == "__main__":
    main()
