"""A report of ours against what torch.profiler's trace says of the same steps (common.py --truth)."""
import re
from dataclasses import dataclass

import reports

TRUTH_NAME = 160  # common.py cuts kernel names there
SUM_TOLERANCE_PCT = 2.0
BUSY_TOLERANCE_POINTS = 2.0
SMALL_SHARE = 0.01  # kernels with less of the kernels' time than this are left out of the sums


def copy_key(name):
    """"Memcpy HtoD (Pageable -> Device)" as (direction, source, destination) of ours."""
    match = re.fullmatch(r"Memcpy (\w+) \((\w+) -> (\w+)\)", name.strip())
    if not match:
        return (name, "", "")
    return (match[1], match[2].lower(), match[3].lower())


def truth_copies(truth):
    return {copy_key(n): (c["count"], c["bytes"]) for n, c in truth["copies"].items()}


def our_copies(report):
    return {k: v for k, v in reports.copies(report).items() if k[0] != "set"}


def describe_copies(copies):
    return "; ".join(f"{k[0]} {k[1]}->{k[2]} {n} x, {b} B" for k, (n, b) in sorted(copies.items())) or "none"


@dataclass
class KernelSum:
    name: str
    ours_us: float
    truth_us: float
    found: bool

    @property
    def off_pct(self):
        return 100.0 * (self.ours_us / self.truth_us - 1.0)


def plain(name):
    return re.sub(r"\s+", "", name[:TRUTH_NAME])


def kernel_sums(report, truth):
    """The truth's top kernels beside ours. Several of ours may share the 160 characters that the
    truth keeps: then the same count, and the closest sum, decides."""
    left = [{"name": plain(k["full_name"]), "calls": k["calls"], "us": k["total_ns"] / 1e3}
            for k in reports.kernels(report)]
    total = sum(t["sum_us"] for t in truth["top"])
    sums = []
    for t in truth["top"]:
        if t["sum_us"] < SMALL_SHARE * total:
            continue
        same = [k for k in left if k["name"] == plain(t["name"])]
        same = [k for k in same if k["calls"] == t["count"]] or same
        if not same:
            sums.append(KernelSum(t["name"], 0.0, t["sum_us"], False))
            continue
        best = min(same, key=lambda k: abs(k["us"] - t["sum_us"]))
        left.remove(best)
        sums.append(KernelSum(t["name"], best["us"], t["sum_us"], True))
    return sums


@dataclass
class Busy:
    ours_pct: float
    truth_pct: float
    ours_window_ms: float
    truth_window_ms: float
    ours_busy_ms: float

    @property
    def close(self):
        return abs(self.ours_pct - self.truth_pct) <= BUSY_TOLERANCE_POINTS

    @property
    def stretched_pct(self):
        """How much longer the same steps took under torch.profiler than under us."""
        return 100.0 * (self.truth_window_ms / self.ours_window_ms - 1.0)

    @property
    def truth_slowed(self):
        """The truth's window was so much longer that the same busy time gives its percentage."""
        as_long = 100.0 * self.ours_busy_ms / self.truth_window_ms
        return self.stretched_pct > BUSY_TOLERANCE_POINTS and abs(
            as_long - self.truth_pct) <= BUSY_TOLERANCE_POINTS

    def note(self):
        return (f"window {self.ours_window_ms:.1f} ms, under torch.profiler "
                f"{self.truth_window_ms:.1f} ms ({self.stretched_pct:+.1f} %)")


def busy(report, truth):
    return Busy(reports.busy_pct(report), truth["busy_pct"], reports.window_ns(report) / 1e6,
                truth["window_us"] / 1e3, reports.busy_ns(report) / 1e6)
