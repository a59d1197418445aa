#!/usr/bin/env python3
"""The tables of gapscope_bench's JSON for decode and analysis (bench/ring/table.py has the ring's).

    gapscope_bench '--benchmark_filter=decode/|analysis/' --benchmark_repetitions=5 \
        --benchmark_enable_random_interleaving=true --benchmark_min_time=0.05 \
        --benchmark_out=run.json
    bench/table.py run.json [BEFORE.json]

Each figure: median over the repetitions of the CPU time a record in ns.
"""

import collections
import json
import statistics
import sys


def read(path):
    """(subject, scenario...) -> what was measured -> medians of its counters."""
    rows = collections.defaultdict(lambda: collections.defaultdict(list))
    with open(path, encoding="utf-8") as file:
        data = json.load(file)
    for row in data["benchmarks"]:
        if row.get("run_type") != "iteration" or row["name"].startswith("ring/"):
            continue
        *scenario, what = row["run_name"].split("/manual_time")[0].removesuffix("/iterations:1").split("/")
        rows["/".join(scenario)][what].append(row)
    return data["context"], rows


def median(runs, counter="ns_per_record"):
    return statistics.median(run[counter] for run in runs)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    context, rows = read(sys.argv[1])
    before = read(sys.argv[2])[1] if len(sys.argv) == 3 else {}
    print(f"{context['num_cpus']} CPUs at {context['mhz_per_cpu']} MHz, {context['date']}\n")
    print("| stream | ns | before | walk | memcpy | ratio to the walk | M records a second |")
    print("|" + " --- |" * 7)
    for scenario, columns in rows.items():
        main_row = columns.get("consume") or columns.get("decode")
        if not main_row or "walk" not in columns:
            continue
        ns, walk = median(main_row), median(columns["walk"])
        old = before.get(scenario, {}).get("consume") or before.get(scenario, {}).get("decode")
        print(f"| {scenario} | {ns:.1f} | {f'{median(old):.1f}' if old else '-'} | {walk:.1f} "
              f"| {median(columns['memcpy']):.1f} | {ns / walk:.1f} | {1e3 / ns:.1f} |")
    flat = {s: c["flat"] for s, c in rows.items() if "flat" in c}
    if flat:
        print("\n| stream | ns a record | table entries | memory grown after the first 0.5 M |")
        print("|" + " --- |" * 4)
    for scenario, runs in flat.items():
        print(f"| {scenario} | {median(runs):.1f} | {median(runs, 'table_entries'):.0f} "
              f"| {median(runs, 'grown_KiB') / 1024:.2f} MiB |")


main()
