"""Several GPUs: two ranks of a DDP training, and one process that uses two devices."""
import json
import os
import sys

import group_programs
import reports


def run(context):
    if context.gpus < 2:
        print("     multi: one GPU here, nothing to check", flush=True)
        return
    context.each("two devices", two_devices)
    context.each("two ranks", two_ranks)


def two_devices(context, name):
    child, report = group_programs.pair(context, name, [context.built("copies"), "--peers", "1"])
    if not reports.check_sound(context, name, report):
        return
    context.equal(f"{name}: devices", sorted(d["device"] for d in report["devices"]), [0, 1])
    group_programs.compare_copies(context, name, group_programs.counts(child), report)


def two_ranks(context, name, number=30):
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ddp_train.py")
    pattern = context.path("rank") + "-%r.json"
    argv = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2",
            script, "--steps", str(number)]
    child = context.run(name, argv, True, 180, GAPSCOPE_REPORT=pattern, GAPSCOPE_CAPTURE="range",
                        OMP_NUM_THREADS=4)
    context.equal(f"{name}: exit code", child.ending, "exit 0")
    for rank in range(2):
        label = f"{name}: rank {rank}"
        report = context.load(label, pattern.replace("%r", str(rank)))
        if not reports.check_sound(context, label, report):
            continue
        context.equal(f"{label}: named", report["process"]["rank"], f"{rank}/2")
        nccl = [k for k in reports.kernels(report) if k["communication"]]
        context.equal(f"{label}: all-reduces", sum(k["calls"] for k in nccl), number)
        device = max(report["devices"], key=lambda d: d["operations"])
        context.equal(f"{label}: device", device["device"], rank)
        context.check(f"{label}: communication", 0 < device["comm_exposed_ns"] <= device["comm_ns"],
                      f"{device['comm_exposed_ns']} ns exposed of {device['comm_ns']}", "some, exposed <= all")
    for line in child.stdout.splitlines():
        if line.startswith("{"):
            said = json.loads(line)
            context.check(f"{name}: loss of rank {said['rank']}", said["last"] < said["first"], said["last"],
                          f"less than {said['first']}")
