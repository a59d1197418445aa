#!/usr/bin/env python3
"""The table of gapscope_bench's JSON: one row a scenario, one column a queue.

    gapscope_bench --benchmark_filter=ring/ --benchmark_repetitions=9 --benchmark_enable_random_interleaving=true \
        --benchmark_min_time=0.05 --benchmark_out=ring.json
    bench/ring/table.py ring.json

Each cell: median over the repetitions of the producer threads' CPU time a record in ns, the lowest
repetition in brackets, and the share of records dropped where there is one.
"""

import collections
import json
import statistics
import sys


def read(path):
    cells = collections.defaultdict(lambda: collections.defaultdict(list))
    with open(path, encoding="utf-8") as f:
        data = json.load(f)
    for row in data["benchmarks"]:
        if row.get("run_type") != "iteration":
            continue
        if row.get("error_occurred"):
            sys.exit(f"{row['name']}: {row.get('error_message')}")
        subject, *rest = row["run_name"].split("/")
        if subject != "ring":
            continue
        size, share, consumer, producers, queue = rest[:5]
        cells[(size, share, consumer, producers)][queue].append(
            (row["ns_per_record"], row["dropped_pct"])
        )
    return data["context"], cells


def cell(runs):
    times = [ns for ns, _ in runs]
    text = f"{statistics.median(times):.1f} ({min(times):.1f})"
    dropped = statistics.median(d for _, d in runs)
    return text + (f" {dropped:.0f} %" if dropped >= 0.5 else "")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    context, cells = read(sys.argv[1])
    queues = list(dict.fromkeys(q for row in cells.values() for q in row))
    peers = [q for q in queues if not q.startswith("gapscope")]
    print(f"{context['num_cpus']} CPUs at {context['mhz_per_cpu']} MHz, {context['date']}\n")
    print("| record | ring | consumer | producers | " + " | ".join(queues) + " | ours / best peer |")
    print("|" + " --- |" * (5 + len(queues)))
    for scenario, row in cells.items():
        lowest = {q: statistics.median(ns for ns, _ in row[q]) for q in row}
        best = min((lowest[q] for q in peers if q in lowest), default=None)
        ratio = f"{lowest['gapscope'] / best:.2f}" if best and "gapscope" in lowest else "-"
        size, share, consumer, producers = scenario
        share = share.replace("_", "/")
        fixed = [size, share, consumer.replace("_", " "), producers.rstrip("p")]
        print("| " + " | ".join(fixed + [cell(row[q]) if q in row else "-" for q in queues]) + f" | {ratio} |")


main()
