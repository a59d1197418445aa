"""What the report blames for a case's idle time, broken and repaired, and whether it was right.

Takes reports that were made anyway (reports.jsonl.gz, or the pairs of group_cases), so a verdict can
be checked again without a GPU.
"""

# case: the cause (or finding) wanted first, what its evidence must hold, the advice's bound is on.
WANTED = {
    "small_kernels": ("launch-bound", ""),
    "sync_bound": ("synchronisation", "Synchronize"),
    "copy_stripe": ("finding: copy not overlapped", "pageable"),
    "loader_stall": ("input pipeline", "dataloader.py"),
    "gc_pause": ("garbage collection", "generation 2"),
}
# Where the repair takes away idle time and nothing else, what was blamed must be what was won.
IDLE_WON = ("small_kernels", "loader_stall", "gc_pause")
TOLERANCE = 0.10
BEYOND_BOUND = 1.02
UNATTRIBUTED = 0.05


def device(report):
    return max(report["devices"], key=lambda d: d["window_ns"])


def first(report, case):
    """What is named first, and its evidence, as one line each."""
    d = device(report)
    if WANTED[case][0].startswith("finding"):
        found = d.get("findings") or []
        return (f"finding: {found[0]['finding']}", found[0]["text"]) if found else ("none", "")
    cause = d["causes"][0] if d["causes"] else {"cause": "none", "evidence": []}
    evidence = cause["evidence"][0]["text"] if cause["evidence"] else ""
    return cause["cause"], evidence


def idle_of(report, cause):
    return sum(c["idle_ns"] for c in device(report)["causes"] if c["cause"] == cause)


def unattributed(context, name, report):
    d = device(report)
    share = idle_of(report, "unattributed") / d["idle_ns"] if d["idle_ns"] else 0.0
    context.check(f"{name}: unattributed", share <= UNATTRIBUTED, f"{100 * share:.2f} % of idle",
                  f"at most {100 * UNATTRIBUTED:.0f} %", f"idle {d['idle_ns'] / 1e6:.1f} ms")


def broken(context, name, case, report):
    wanted, words = WANTED[case]
    what, evidence = first(report, case)
    context.check(f"{name}: verdict", what == wanted and words in evidence, f"{what}: {evidence[:90]}",
                  f"{wanted}{': ' + words if words else ''} first")


def repaired(context, name, case, report):
    wanted, _ = WANTED[case]
    what, evidence = first(report, case)
    context.check(f"{name}: verdict", what != wanted, f"{what}: {evidence[:90]}", f"not {wanted}")


def repair(context, case, before, after, steps):
    """Both runs did the same steps."""
    cause = WANTED[case][0]
    if case in IDLE_WON:
        won = device(before)["idle_ns"] - device(after)["idle_ns"]
        blamed = idle_of(before, cause) - idle_of(after, cause)
        context.check(f"{case}: blamed = won", abs(blamed - won) <= TOLERANCE * abs(won),
                      f"{blamed / steps / 1e6:.3f} ms/step {cause}",
                      f"{won / steps / 1e6:.3f} ms/step less idle, to {100 * TOLERANCE:.0f} %")
    saved_ms = (device(before)["window_ns"] - device(after)["window_ns"]) / 1e6
    # In time saved, over the steps (advice may be given per step or for the whole window).
    advice = before["advice"][0] if before["advice"] else None
    share = 1 - advice["after_ms"] / advice["before_ms"] if advice and advice["before_ms"] > 0 else 0
    bound_ms = share * device(before)["window_ns"] / 1e6
    context.check(f"{case}: won at most the bound", saved_ms <= BEYOND_BOUND * bound_ms,
                  f"{saved_ms / steps:.3f} ms/step saved", f"bound {bound_ms / steps:.3f}",
                  advice["text"][:70] if advice else "no advice")
