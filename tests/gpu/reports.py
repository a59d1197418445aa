"""What the checks read out of a report, and what must hold in every report."""
import collections

QUALITY = ("dropped_ring", "dropped_cupti", "invalid", "unmatched", "late", "orphaned", "overflow")
PARTS = ("compute_ns", "comm_exposed_ns", "copy_only_ns", "idle_ns", "unknown_ns")


def kernels(report):
    """Every kernel entry of every device."""
    return [k for d in report["devices"] for k in d["kernels"]]


def kernel_count(report, part=""):
    """Executions of kernels whose name contains part."""
    return sum(k["calls"] for k in kernels(report) if part in k["full_name"])


def copies(report):
    """{(direction, source, destination): (count, bytes)}; sets have direction "set"."""
    total = collections.defaultdict(lambda: [0, 0])
    for c in report["copies"]:
        key = ("set", "", "") if c["direction"] == "set" else (c["direction"], c["source"], c["destination"])
        total[key][0] += c["count"]
        total[key][1] += c["bytes"]
    return {k: tuple(v) for k, v in total.items() if v[0]}


def calls(report, category):
    """Calls of one category: "launch", "graph launch", "module load", ..."""
    return sum(c["calls"] for c in report["host_calls"] if c["category"] == category)


def window_ns(report):
    return sum(d["window_ns"] for d in report["devices"])


def busy_ns(report):
    return sum(d["compute_ns"] + d["comm_exposed_ns"] + d["copy_only_ns"] for d in report["devices"])


def busy_pct(report):
    window = window_ns(report)
    return 100.0 * busy_ns(report) / window if window else 0.0


def quality(report):
    """Everything that was lost or set aside; empty in a good report."""
    bad = {k: report["records"][k] for k in QUALITY if report["records"].get(k)}
    if report.get("truncated"):
        bad["truncated"] = True
    return bad


def violations(report):
    """One line for each rule that does not hold: time adds up, tables agree with sums."""
    broken = []
    for scope_name in ("whole", "steady"):
        scope = report if scope_name == "whole" else report.get("steady")
        if not scope:
            continue
        for d in scope["devices"]:
            broken += [f"{scope_name} device {d['device']}: {v}" for v in _device(d, scope)]
        o = scope["overlap"]
        shares = o["both_ns"] + o["gpu_only_ns"] + o["cpu_only_ns"] + o["neither_ns"]
        if shares != o["window_ns"]:
            broken.append(f"{scope_name}: overlap shares {shares} != window {o['window_ns']}")
        for w in scope["waits"]:
            if w["gpu_busy_ns"] + w["gpu_idle_ns"] > w["total_ns"]:
                broken.append(f"{scope_name}: {w['name']}: busy + idle > total")
    operations = sum(d["operations"] for d in report["devices"])
    if operations + report["records"]["outside"] > report["records"]["seen"]:
        broken.append("counted and outside operations exceed those seen")
    return broken + _negatives(report, "report")


def _device(d, scope):
    broken = []

    def equal(what, a, b):
        if a != b:
            broken.append(f"{what}: {a} != {b}")

    equal("window = sum of its parts", d["window_ns"], sum(d[p] for p in PARTS))
    equal("copies outside kernels = copy only", d["copy_ns"] - d["copy_overlap_ns"], d["copy_only_ns"])
    equal("communication alone = exposed", d["comm_ns"] - d["comm_overlap_ns"], d["comm_exposed_ns"])
    if d["causes"]:
        equal("causes = idle", sum(c["idle_ns"] for c in d["causes"]), d["idle_ns"])
    if d["spacing_ns"] + d["launch_bound_ns"] > d["idle_ns"]:
        broken.append("spacing + launch-bound > idle")
    if d["window_ns"] > d["last_op_ns"] - d["first_op_ns"]:
        broken.append("window longer than first to last operation")
    equal("gaps = idle", sum(b["total_ns"] for b in d["gaps"]["histogram"]), d["idle_ns"])
    equal("kernels = sum over streams", sum(k["total_ns"] for k in d["kernels"]), d["kernel_sum_ns"])
    count = sum(k["calls"] for k in d["kernels"])
    copied = sum(c["count"] for c in scope["copies"] if c["device"] == d["device"])
    equal("kernels + copies = operations", count + copied, d["operations"])
    equal("families = kernels", sum(f["calls"] for f in d["families"]), count)
    equal("timeline busy", sum(s["busy_ns"] for s in d["timeline"]), sum(d[p] for p in PARTS[:3]))
    equal("timeline idle", sum(s["idle_ns"] for s in d["timeline"]), d["idle_ns"])
    return broken


def _negatives(value, where):
    if isinstance(value, dict):
        return [n for k, v in value.items() for n in _negatives(v, f"{where}.{k}")]
    if isinstance(value, list):
        return [n for i, v in enumerate(value) for n in _negatives(v, f"{where}[{i}]")]
    if isinstance(value, (int, float)) and not isinstance(value, bool) and value < 0:
        return [f"{where} is negative: {value}"]
    return []


def first_difference(a, b, where="report"):
    """Where two parsed reports differ, order of keys and entries included; None if nowhere."""
    if type(a) is not type(b):
        return f"{where}: {a!r:.80} and {b!r:.80}"
    if isinstance(a, dict):
        if list(a) != list(b):
            return f"{where}: keys {list(a)} and {list(b)}"
        pairs = [(a[k], b[k], f"{where}.{k}") for k in a]
    elif isinstance(a, list):
        if len(a) != len(b):
            return f"{where}: {len(a)} and {len(b)} entries"
        pairs = [(x, y, f"{where}[{i}]") for i, (x, y) in enumerate(zip(a, b))]
    else:
        return None if a == b else f"{where}: {a!r:.80} and {b!r:.80}"
    for x, y, place in pairs:
        difference = first_difference(x, y, place)
        if difference:
            return difference
    return None


def check_sound(context, name, report, quality_matters=True):
    """The two lines that every report of every check gets. False when there is no report."""
    if report is None:
        return context.check(f"{name}: report", False, "none", "a report")
    broken = violations(report) + context.broken_rules(report)
    context.check(f"{name}: time adds up", not broken, "; ".join(broken[:3]) or "yes", "yes")
    if quality_matters:
        bad = quality(report)
        context.check(f"{name}: records", not bad, bad or "nothing lost", "nothing lost",
                      f"{report['records']['seen']} seen")
    return True
