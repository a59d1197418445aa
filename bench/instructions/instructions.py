#!/usr/bin/env python3
"""Instructions a record under callgrind, beside the recorded ones.

    instructions.py --compiler TEXT [--record] gapscope_instructions

Fails when a count is more than 5 % above the recorded one, or a push above its limit. Counts of
another compiler, other flags, C library or architecture say nothing: then they are only printed,
and the exit status is 77, as it is without valgrind.
"""

import argparse
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

RECORDED = pathlib.Path(__file__).with_name("recorded.json")
SKIPPED = 77
ALLOWED = 1.05
PUSH_LIMIT = 25  # of a 32-byte record, not full; the loop, the call and the return taken off
EMPTY_PUSH = "push, nothing"


def count(program, subject):
    """Instructions a record that callgrind sees inside count_here()."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "callgrind")
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}",
             "--toggle-collect=gapscope::bench::count_here*", program, subject],
            capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{subject}: {done.stdout}{done.stderr}")
        with open(out, encoding="utf-8") as file:
            total = re.search(r"^(?:totals|summary): (\d+)", file.read(), re.MULTILINE)
    if total is None or int(total[1]) == 0:
        sys.exit(f"{subject}: callgrind collected nothing")
    return round(int(total[1]) / int(done.stdout), 1)


def judge(counts, recorded):
    """What is wrong, one line each."""
    wrong = []
    for subject, now in counts.items():
        if subject.startswith("push") and now - counts[EMPTY_PUSH] > PUSH_LIMIT:
            wrong.append(f"{subject}: {now - counts[EMPTY_PUSH]:.1f} instructions, "
                         f"at most {PUSH_LIMIT} are allowed")
        if recorded is None:
            continue
        if subject not in recorded:
            wrong.append(f"{subject}: not recorded; see --record")
        elif now > recorded[subject] * ALLOWED:
            wrong.append(f"{subject}: {now} instructions a record, {recorded[subject]} recorded")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--record", action="store_true", help="write recorded.json anew")
    parser.add_argument("program")
    args = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("skipped: valgrind is not installed")
        return SKIPPED
    made_by = f"{args.compiler}, {' '.join(platform.libc_ver())}, {platform.machine()}"
    subjects = subprocess.run([args.program], capture_output=True, text=True, check=True)
    counts = {name: count(args.program, name) for name in subjects.stdout.splitlines()}
    if args.record:
        RECORDED.write_text(json.dumps({"made_by": made_by, "instructions": counts}, indent=2) +
                            "\n", encoding="utf-8")
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))
    same = recorded["made_by"] == made_by
    for name, now in counts.items():
        before = f"{recorded['instructions'].get(name, '-')} recorded" if same else "not compared"
        print(f"{name}: {now} instructions a record ({before})")
    if not same:
        print(f"recorded by: {recorded['made_by']}\nmade by:     {made_by}")
    wrong = judge(counts, recorded["instructions"] if same else None)
    for line in wrong:
        print(line, file=sys.stderr)
    if wrong:
        return 1
    return 0 if same else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
