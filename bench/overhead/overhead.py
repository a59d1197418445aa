#!/usr/bin/env python3
"""What tracing costs: interleaved runs with each tool and without, as a table.

    bench/overhead/overhead.py --build build/release --budget 300
    bench/overhead/overhead.py --rows launch_1,graph_1000 --budget 60
    bench/overhead/overhead.py --show overhead.json

For a machine with a GPU; the PyTorch rows need PyTorch (ResNet-50 also torchvision, GPT-2 also
transformers; nothing is downloaded). A round runs every mode once, one after the other, each in a
process of its own; ratios are of runs of the same round. It ends by itself within the budget and
prints what it has; overhead.json in --out is rewritten after every round.
"""
import argparse
import datetime
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings

import modes as m
import runs
import table

RUN_LIMIT_S = 60  # of one process
MIN_LEFT_S = 3  # less is not worth a start


def names(known, what):
    def parse(text):
        chosen = text.split(",")
        unknown = [name for name in chosen if name not in known]
        if unknown:
            raise argparse.ArgumentTypeError(f"no {what} {unknown[0]!r}; there are {', '.join(known)}")
        return chosen
    return parse


def arguments(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--build", default="build/release", help="folder with the libraries and bench_launches")
    parser.add_argument("--budget", type=float, default=300, help="seconds for everything")
    parser.add_argument("--rows", type=names(m.ROW, "row"), default=list(m.ROW), help="separated by commas")
    parser.add_argument("--modes", type=names(m.MODE, "mode"), help="separated by commas; default: all but nsys")
    parser.add_argument("--nsys", action="store_true", help="also nsys, on the rows without PyTorch")
    parser.add_argument("--rounds", type=int, default=1000, help="at most that many of each row")
    parser.add_argument("--out", default=".", help="folder for overhead.json and overhead.md")
    parser.add_argument("--cupti", default="", help="libcupti for the injected tools; default: PyTorch's")
    parser.add_argument("--repeat", type=int, default=3, help="measurements in one run of bench_launches")
    parser.add_argument("--scale", type=float, default=1, help="factor for bench_launches' operations")
    parser.add_argument("--show", metavar="FILE", help="print the table of a stored overhead.json, run nothing")
    args = parser.parse_args(argv)
    chosen = args.modes or [key for key in m.MODE if key != "nsys" or args.nsys]
    args.modes = [mode for mode in m.MODES if mode.key in chosen or mode.key == m.NO_TOOL]
    args.rows = [row for row in m.ROWS if row.key in args.rows]
    args.build = os.path.abspath(args.build)  # the driver wants a whole path
    return args


def machine():
    """Date, GPU, driver and PyTorch, as far as they are known without starting CUDA."""
    parts = [datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")]
    try:
        query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
        told = subprocess.run(query, capture_output=True, text=True, timeout=30, check=True).stdout
        name, driver = told.splitlines()[0].split(", ")
        parts += [name, f"driver {driver}"]
    except (OSError, subprocess.SubprocessError, ValueError, IndexError):
        parts.append("GPU unknown")
    if sys.modules.get("torch"):
        parts.append(f"PyTorch {sys.modules['torch'].__version__}")
    return ", ".join(parts) + "."


class Comparison:
    """Rounds of all groups within the budget; what failed becomes a note, never an end."""

    def __init__(self, args, runners, begin):
        self.args, self.runners = args, runners
        self.deadline = begin + args.budget
        self.data = {"machine": machine(), "rounds": {}, "notes": []}

    def run(self):
        groups = [group for group in m.GROUPS if any(row.group == group for row in self.args.rows)]
        for number, group in enumerate(groups):
            weights = [m.GROUPS[g] for g in groups[number:]]
            share = (self.deadline - time.monotonic()) * weights[0] / sum(weights)
            self.run_group(group, time.monotonic() + share)
        self.data["machine"] = machine()
        self.save()

    def run_group(self, group, deadline):
        rows = [row for row in self.args.rows if row.group == group]
        modes = m.modes_of_group(group, rows, self.args.modes)
        runner = self.runners[group]
        problem = runner.prepare(group)
        if problem:
            self.note(f"{group}: not run: {problem}")
            return
        rounds = self.data["rounds"].setdefault(group, [])
        failures = dict.fromkeys([mode.key for mode in modes], 0)
        took = 0.0
        while len(rounds) < self.args.rounds and time.monotonic() + took < deadline:
            begin = time.monotonic()
            # The order turns, so that no mode always follows the same one. No tool is first at first.
            turn = len(rounds) % len(modes)
            rounds.append(self.run_round(runner, group, rows, modes[turn:] + modes[:turn], failures))
            took = time.monotonic() - begin
            modes = [mode for mode in modes if failures[mode.key] < 2]
            self.save()
            if m.NO_TOOL not in [mode.key for mode in modes] or not rounds[0].get(m.NO_TOOL):
                return
            print(f"{group}: round {len(rounds)}, {took:.1f} s", file=sys.stderr, flush=True)
        if not rounds:
            self.note(f"{group}: not run: no time was left")

    def run_round(self, runner, group, rows, modes, failures):
        result = {}
        for mode in modes:
            left = self.deadline - time.monotonic()
            if left < MIN_LEFT_S:
                break
            wanted = [row.key for row in rows if row.has_graphs or not mode.whole_graphs]
            told = runner.run(mode, group, wanted, min(RUN_LIMIT_S, left))
            if told["problem"]:
                failures[mode.key] += 1
                self.note(f"{group}, {mode.label}: {told['problem']}")
                if mode.key == m.NO_TOOL and not result:
                    break  # nothing to compare with
            else:
                failures[mode.key] = 0
                result[mode.key] = told["rows"]
        return result

    def note(self, text):
        if text not in self.data["notes"]:
            self.data["notes"].append(text)

    def save(self):
        path = os.path.join(self.args.out, "overhead")
        for suffix, text in ((".json", json.dumps(self.data, indent=1)), (".md", table.render(self.data))):
            with open(path + suffix, "w") as file:
                file.write(text)


def main(argv=None):
    begin = time.monotonic()
    args = arguments(argv)
    if args.show:
        with open(args.show) as file:
            print(table.render(json.load(file)), end="")
        return 0
    # Python warns of every fork beside threads; these children start no thread of the parent's.
    warnings.simplefilter("ignore", DeprecationWarning)
    for name in set(os.environ) - set(runs.clean_environment()):
        del os.environ[name]
    os.makedirs(args.out, exist_ok=True)
    cupti = os.path.abspath(args.cupti) if args.cupti else runs.find_cupti(sys.path)
    with tempfile.TemporaryDirectory() as folder:
        native = runs.Native(args.build, cupti, folder, args.scale, args.repeat)
        torch = runs.Torch(args.build, cupti, folder)
        runners = {group: native if group == m.NATIVE else torch for group in m.GROUPS}
        comparison = Comparison(args, runners, begin)
        comparison.run()
    print(table.render(comparison.data), end="")
    return 0 if any(any(rounds) for rounds in comparison.data["rounds"].values()) else 1


if __name__ == "__main__":
    sys.exit(main())
