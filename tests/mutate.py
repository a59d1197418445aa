#!/usr/bin/env python3
"""Breaks ring/ and analysis/ on purpose, one small change at a time, and sees whether their unit tests notice.

    tests/mutate.sh              every mutation
    tests/mutate.sh 3 7          the third and the seventh

Works in a copy of the sources under build/mutants. A change that does not compile is an error of this
list, not a catch. Exit code 0 when at least 18 of 20 (or nine in ten of those asked for) are caught.
"""
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WORK = os.path.join(ROOT, "build", "mutants")
TREE = os.path.join(WORK, "tree")
LIMIT_S = 300  # of one run of the tests: a mutant may hang

# file below lib/, what stands there once, what is put in its place
MUTATIONS = (
    ("ring/byte_ring.h", "capacity_ / 2;", "capacity_ / 4;"),
    ("ring/byte_ring.h", "producer_.limit) [[unlikely]] {\n    return push_slow(",
     "producer_.limit + 8) [[unlikely]] {\n    return push_slow("),
    ("ring/byte_ring.cc", "return offset + size_bytes <= capacity_ ?",
     "return offset + size_bytes <= capacity_ + 8 ?"),
    ("ring/byte_ring.cc", "  producer_.marked += lost.count;\n", "\n"),
    ("ring/byte_ring.cc", "  const std::uint64_t room_end = read + capacity_;",
     "  const std::uint64_t room_end = read + capacity_ + 64;"),
    ("ring/byte_ring.cc", "  producer_.limit = 0;\n", "\n"),
    ("ring/ring_set.cc", "  slot.graph_nodes_created = 0;\n", "\n"),
    ("analysis/overlap_sweep.cc", "(work_ > 0 ? to.both_ns : to.gpu_only_ns)",
     "(work_ > 1 ? to.both_ns : to.gpu_only_ns)"),
    ("analysis/device_tally.cc", "} else if (ns < kSpacingNs) {", "} else if (ns <= kSpacingNs) {"),
    ("analysis/device_tally.cc", "if (segment.compute || segment.communication) sums_.copy_overlap_ns",
     "if (segment.compute) sums_.copy_overlap_ns"),
    ("analysis/join.cc", "return early_ns > kOtherLaunchNs ? Fit::other : Fit::invalid;",
     "return early_ns > kOtherLaunchNs ? Fit::invalid : Fit::other;"),
    ("analysis/join.cc", "op.launch = {call.start_ns, blocked ? call.start_ns : call.end_ns,",
     "op.launch = {call.start_ns, blocked ? call.end_ns : call.start_ns,"),
    ("analysis/device_sweep.cc", "const bool pause = range > range_ && running_counted_ == 0;",
     "const bool pause = range >= range_ && running_counted_ == 0;"),
    ("analysis/device_sweep.cc", "  close_unknown([&](const OpenUnknown& u) {\n    const bool same",
     "  if (false) close_unknown([&](const OpenUnknown& u) {\n    const bool same"),
    ("analysis/steps.cc", "waited_ < kPatienceSteps)", "waited_ <= kPatienceSteps)"),
    ("analysis/capture.cc", "if (time_ns >= range->end_ns) return kOutside;",
     "if (time_ns > range->end_ns) return kOutside;"),
    ("analysis/attribution.cc", "if (!drained) continue;", "if (drained) continue;"),
    ("analysis/cause_slice.cc", "left_.clear();", ";"),
    ("analysis/queue_full.cc", "std::prev(later)->reach_ns > start_ns;",
     "std::prev(later)->end_ns > start_ns;"),
    ("analysis/step_range.cc", "if (step_depth_ >= 0 || started_) return false;  // nested",
     "if (started_) return false;  // nested"),
)


def shell(script, **options):
    return subprocess.run(["bash", "-c", script], cwd=TREE, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False, **options)


def copy_sources():
    """Times are kept, so that a second run builds only what a mutation touches."""
    os.makedirs(WORK, exist_ok=True)
    for name in subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True,
                               check=True).stdout.split("\n"):
        source, target = os.path.join(ROOT, name), os.path.join(TREE, name)
        if not os.path.isfile(source):
            continue
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if not os.path.exists(target) or os.path.getmtime(target) != os.path.getmtime(source):
            shutil.copy2(source, target)
    deps = os.path.join(TREE, "build")
    os.makedirs(deps, exist_ok=True)
    if not os.path.exists(os.path.join(deps, "deps")):
        shutil.copytree(os.path.join(ROOT, "build", "deps"), os.path.join(deps, "deps"))


def build(targets):
    return shell(f". .ci/common.sh; build_preset nocuda {targets}")


def tests_of(path):
    return "unit_ring" if path.startswith("ring/") else "unit_analysis"


def caught(path, before, after):
    file = os.path.join(TREE, "lib", path)
    with open(file, encoding="utf-8") as f:
        text = f.read()
    if text.count(before) != 1:
        sys.exit(f"mutate: {path} holds {before!r} {text.count(before)} times, not once")
    with open(file, "w", encoding="utf-8") as f:
        f.write(text.replace(before, after))
    try:
        target = tests_of(path)
        made = build(target)
        if made.returncode != 0:
            sys.exit(f"mutate: {path} does not compile with {after!r}:\n{made.stdout[-2000:]}")
        try:
            return shell(f"exec $(find build/nocuda -name {target} -type f | head -1)", timeout=LIMIT_S).returncode != 0
        except subprocess.TimeoutExpired:
            return True
    finally:
        with open(file, "w", encoding="utf-8") as f:
            f.write(text)


def main():
    chosen = [int(number) - 1 for number in sys.argv[1:]] or range(len(MUTATIONS))
    copy_sources()
    made = build("unit_ring unit_analysis")
    if made.returncode != 0:
        sys.exit(f"mutate: the sources themselves do not build:\n{made.stdout[-2000:]}")
    survivors = []
    for index in chosen:
        path, before, after = MUTATIONS[index]
        dead = caught(path, before, after)
        print(f"{index + 1:2} {'caught  ' if dead else 'SURVIVED'} {path}: {' '.join(after.split()) or 'nothing'}"
              f" for {' '.join(before.split())}", flush=True)
        if not dead:
            survivors.append(index + 1)
    print(f"{len(chosen) - len(survivors)} of {len(chosen)} caught; survivors: {survivors or 'none'}")
    sys.exit(0 if len(survivors) <= len(chosen) // 10 else 1)


if __name__ == "__main__":
    main()
