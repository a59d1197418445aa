"""What the report must say of a scenario, computed from the scenario's own truth by brute force."""
import collections

# Kernel names as CUPTI gives them (names.h) and as the report shows them whole.
NAMES = {
    "_Z5saxpyfPfS_i": "saxpy(float, float*, float*, int)",
    "sm90_gemm_f16": "sm90_gemm_f16",
    "_ZN2at6native10layer_normIfEEvPT_S3_i": "void at::native::layer_norm<float>(float*, float*, int)",
    "_Z11fake_kernelPf": "fake_kernel(float*)",
}
ALL_REDUCE = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
DELIVERED = ("recorded", "late")


def union(intervals):
    """The same time as a sorted list of disjoint intervals."""
    merged = []
    for start, end in sorted(i for i in intervals if i[1] > i[0]):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return merged


def measure(intervals):
    return sum(end - start for start, end in union(intervals))


def operations(truth, device=None, fates=DELIVERED, counted=True):
    return [o for o in truth["operations"]
            if o["fate"] in fates and (o["counted"] or not counted)
            and (device is None or o["device"] == device)]


def split(ops):
    """The parts of a device's window, from the operations alone."""
    def spans(pick):
        return [(o["start_ns"], o["end_ns"]) for o in ops if pick(o)]

    def is_kernel(o):
        return o["kind"] in ("kernel", "graph")

    def is_comm(o):
        return o["name"].startswith("_Z") and "nccl" in o["name"]

    everything = spans(lambda o: True)
    compute = spans(lambda o: is_kernel(o) and not is_comm(o))
    comm = spans(lambda o: is_kernel(o) and is_comm(o))
    copies = spans(lambda o: not is_kernel(o))
    window = max(e for _, e in everything) - min(s for s, _ in everything)
    busy, kernels = measure(everything), measure(compute + comm)
    return {
        "window_ns": window,
        "compute_ns": measure(compute),
        "comm_exposed_ns": kernels - measure(compute),
        "copy_only_ns": busy - kernels,
        "idle_ns": window - busy,
        "copy_ns": measure(copies),
        "comm_ns": measure(comm),
        "operations": len(ops),
        "streams": len({o["stream"] for o in ops}),
        "first_op_ns": min(s for s, _ in everything),
        "last_op_ns": max(e for _, e in everything),
        "gaps": len(union(everything)) - 1,
    }


def kernels(ops):
    """{whole name: (calls, total_ns, min_ns, max_ns)}"""
    times = collections.defaultdict(list)
    for o in ops:
        if o["kind"] == "kernel":
            name = ALL_REDUCE if "nccl" in o["name"] else NAMES[o["name"]]
            times[name].append(o["end_ns"] - o["start_ns"])
    return {n: (len(t), sum(t), min(t), max(t)) for n, t in times.items()}


def copies(ops):
    """{direction: (count, bytes, total_ns)}; sets have the direction "set"."""
    table = collections.defaultdict(lambda: [0, 0, 0])
    for o in ops:
        if o["kind"] in ("copy", "set"):
            row = table[o["name"]]
            row[0] += 1
            row[1] += o["bytes"]
            row[2] += o["end_ns"] - o["start_ns"]
    return {k: tuple(v) for k, v in table.items()}
