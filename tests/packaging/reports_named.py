#!/usr/bin/env python3
"""What users of such tools hit in public, and that each report still has its test.

A test that proves what is owed because of a report names it (repo#number) in a comment. Here is the list
of all, with what is owed; a report that no test names any more is a breach.

usage: reports_named.py TESTS_FOLDER
"""
import os
import re
import sys

# Names are those of the repositories; "repo#1, #2" are two reports of one.
OWED = """
kineto#1275: no NULL buffer where the CUPTI version does not accept it
kineto#1362: a hard cap on buffer memory
kineto#1347: no CUPTI call while a lock of ours is held
kineto#1020: no buffer allocation inside a launch
kineto#1354: records may come in any order
kineto#109, legion#1800: zero and sentinel timestamps counted, kept out of durations
kineto#136: kernels that overlap on one stream
kineto#686, jax#40260: never cuptiFinalize
pytorch#117935, TensorRT-LLM#9073: another tool holds CUPTI: stand aside and name it
pytorch#195207: never free a buffer that CUPTI still holds
pytorch#195844: a forced flush only at the end
pytorch#118982, cuda-python#1572: find the right libcupti; print which one
pytorch#57744: load the shared CUPTI; exceptions are the program's own
triton#8953: any failure to subscribe leaves the program running
tracy#1318: graph kernels without a matching API call still counted
HPCToolkit#195, #326: a forked child never hangs in a flush
sglang#3511, ray#60904: after Ctrl-C, SIGTERM and SIGKILL the numbers so far survive
xprof#265, prismaquant#899, HTA#250: run length grows neither memory nor the report
parcagpu#23: soak beyond 25 million kernels; invalid timestamps counted
nsys-ai#599, #574, #240: copies are not idle; sums over streams are not busy time; no phantom gaps
TraceLens#728: graph-granular time is labelled as such
conda-forge.github.io#388, anaconda-issues#13100: no libstdc++ from the host process or for it
tensorflow#35860, ThunderKittens#73: permission errors print the remedy
runtime#64: work done in child processes is reported per process
torchrec#3855, pytorch#39694: pageable copies that block the host are named
torchtitan#148, marin#9224: garbage-collection stalls are named
kineto#610, Lightning#21771: data-loader time is never shown as zero
tensorboard#3360, xprof#564: "idle" says why, and how it was computed
NVTX#101: backward kernels of another thread belong to the range of the waiting thread
nccl#470: NCCL kernel time includes waiting: never shown as useful work
TensorRT#1493: a blocking call over a busy device is not a cost: busy and idle meanwhile
sglang#5593: the bubble before a graph replay gets a cause
pytorch#97783: compilation and loading are named, warm-up told apart
pytorch#133744: no setenv in a process with threads
"""

NAMED = re.compile(r"([A-Za-z0-9][\w.-]*)(#\d+(?:,\s*#\d+)*)")


def reports(text):
    """Every repo#number in it."""
    return {repository + number for repository, numbers in NAMED.findall(text)
            for number in re.findall(r"#\d+", numbers)}


def named(folder):
    found = set()
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in ("data", "__pycache__")]
        for name in names:
            path = os.path.join(place, name)
            if name.endswith((".py", ".cc", ".h", ".cu", ".sh")) and not os.path.samefile(path, __file__):
                with open(path, encoding="utf-8") as file:
                    found |= reports(file.read())
    return found


def main():
    owed = [line.partition(": ") for line in OWED.strip().splitlines()]
    have = named(sys.argv[1])
    missing = [f"{report} is named in no test: {what}"
               for names, _, what in owed for report in sorted(reports(names) - have)]
    print("\n".join(missing))
    return 1 if missing or not owed else 0


if __name__ == "__main__":
    sys.exit(main())
