"""Stalls of known length in the C++ sample: each is named, and its time is found again."""
import os
import re
import threading
import time

import reports

TOLERANCE = 0.05
EVERY = 10
# kind, what is planted, stalls, the cause, words of its evidence
KINDS = (
    ("sleep", "sleep:30", 10, "host, other", ("nanosleep",)),
    ("malloc", "malloc:34359738368", 10, "device allocation", ("cudaMalloc", "cudaFree")),
    ("module", "module:2", 5, "compilation, module loading", ("cuModuleLoadData", "cuModuleUnload")),
    ("read of a pipe", "read:{pipe}", 10, None, ("read(pipe)", "openat")),
    ("read of a file", "read:{file}", 5, None, ("read(file)", "range planted read")),
)
FILE_BYTES = 256 << 20


def run(context):
    for kind, spec, stalls, cause, words in KINDS:
        context.each(f"planted {kind}", planted, spec, stalls, cause, words)


class SlowWriter:
    """Writes a byte into a pipe, 30 ms after each reader has opened it."""

    def __init__(self, path, times):
        os.mkfifo(path)
        self.path, self.times = path, times
        threading.Thread(target=self.write, daemon=True).start()

    def write(self):
        for _ in range(self.times):
            with open(self.path, "wb", buffering=0) as pipe:  # waits for the reader
                time.sleep(0.03)
                pipe.write(b"x")
            time.sleep(0.005)  # its reader closes before the next one may come


def fill(context, spec, stalls):
    if "{pipe}" in spec:
        path = context.path("stall.fifo")
        SlowWriter(path, stalls)
        return spec.format(pipe=path)
    if "{file}" in spec:
        path = context.path("stall.bin")
        with open(path, "wb") as file:
            for _ in range(FILE_BYTES >> 20):
                file.write(os.urandom(1 << 20))
        return spec.format(file=path)
    return spec


def named_ms(device, words):
    """Idle time whose evidence holds one of the words, and that evidence."""
    found = [(c["cause"], e) for c in device["causes"] for e in c["evidence"]
             if any(word in e["text"] for word in words)]
    text = "; ".join(f"{cause}: {e['text']} {e['ns'] / 1e6:.1f} ms" for cause, e in found)
    return sum(e["ns"] for _, e in found) / 1e6, text


def planted(context, name, spec, stalls, cause, words):
    argv = [context.built("cpp_train"), "--steps", str(stalls * EVERY + EVERY - 1), "--plant",
            fill(context, spec, stalls), "--plant-every", str(EVERY)]
    child, report = context.profile(name, argv, injected=False)
    line = re.search(r"planted .*: (\d+) stalls, ([\d.]+) ms", child.stdout)
    if not reports.check_sound(context, name, report) or not line:
        context.check(f"{name}: planted", bool(line), child.ending, "stalls")
        return
    context.equal(f"{name}: stalls", int(line[1]), stalls)
    total_ms = float(line[2])
    device = report["devices"][0]
    found_ms, text = named_ms(device, words)
    context.check(f"{name}: named", abs(found_ms - total_ms) <= TOLERANCE * total_ms, f"{found_ms:.1f} ms",
                  f"{total_ms:.1f} ms to {100 * TOLERANCE:.0f} %", text)
    if cause is not None:
        causes = {c["cause"]: c["idle_ns"] / 1e6 for c in device["causes"]}
        context.check(f"{name}: cause", causes.get(cause, 0.0) >= (1 - TOLERANCE) * total_ms,
                      f"{cause} {causes.get(cause, 0.0):.1f} ms", f"at least the {total_ms:.1f} ms planted")
    mean_ms = total_ms / stalls
    longest = [g["length_ns"] / 1e6 for g in device["gaps"]["longest"]]
    as_planted = sum(1 for g in longest if g >= 0.6 * mean_ms)
    context.check(f"{name}: longest gaps", as_planted >= min(4, stalls),
                  " ".join(f"{g:.2f}" for g in longest) + " ms", f"at least four of {0.6 * mean_ms:.1f} ms",
                  f"{mean_ms:.1f} ms a stall on average")
