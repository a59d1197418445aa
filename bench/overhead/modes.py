"""What is compared (modes) and on what (rows)."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Mode:
    key: str
    label: str
    library: str = ""  # injected: "floor" or "gapscope"
    env: tuple = ()  # (name, value) pairs
    python_tool: str = ""  # a profiler that the PyTorch program itself starts, see torch_work.py
    whole_graphs: bool = False  # sees graphs as a whole: compared on the rows with graphs alone
    command: tuple = ()  # in front of the native program's; FOLDER: a scratch folder


@dataclasses.dataclass(frozen=True)
class Row:
    key: str
    group: str  # the rows that one process measures
    label: str
    unit: str
    has_graphs: bool = False


NO_TOOL = "none"
MODES = (
    Mode(NO_TOOL, "no tool"),
    Mode("floor", "floor", library="floor"),
    Mode("gapscope", "gapscope", library="gapscope"),
    Mode("gapscope_nohost", "gapscope, GAPSCOPE_HOST=0", library="gapscope", env=(("GAPSCOPE_HOST", "0"),)),
    Mode("torch_cuda", "torch.profiler, CUDA", python_tool="torch_cuda"),
    Mode("torch_cpu", "torch.profiler, CUDA + CPU", python_tool="torch_cpu"),
    Mode("proton", "Proton", python_tool="proton"),
    Mode("nsys", "nsys --trace=cuda",
         command=("nsys", "profile", "--trace=cuda", "--sample=none", "--cpuctxsw=none",
                  "--force-overwrite=true", "--output=FOLDER/nsys")),
    Mode("floor_graph", "floor, whole graphs", library="floor", env=(("FLOOR_GRAPHS", "graph"),),
         whole_graphs=True),
    Mode("gapscope_graph", "gapscope, GAPSCOPE_GRAPHS=graph", library="gapscope",
         env=(("GAPSCOPE_GRAPHS", "graph"),), whole_graphs=True),
)
MODE = {mode.key: mode for mode in MODES}

NATIVE = "native"
ROWS = (
    Row("launch_1", NATIVE, "empty launches, 1 thread", "ns"),
    Row("launch_4", NATIVE, "empty launches, 4 threads", "ns"),
    Row("launch_8", NATIVE, "empty launches, 8 threads", "ns"),
    Row("graph_1000", NATIVE, "replayed graph of 1,000 kernels, a node", "ns", has_graphs=True),
    Row("copy_4k", NATIVE, "asynchronous copies of 4 KiB", "ns"),
    Row("launch_sync", NATIVE, "launch + synchronise", "ns"),
    Row("event_query", NATIVE, "event queries", "ns"),
    Row("eager", "tiny", "PyTorch, 1,200 tiny kernels a step", "ms"),
    Row("replay", "tiny", "the same step as a replayed graph", "ms", has_graphs=True),
    Row("resnet50", "resnet50", "ResNet-50 training step", "ms"),
    Row("gpt2", "gpt2", "GPT-2 training step", "ms"),
)
ROW = {row.key: row for row in ROWS}
# Shares of the budget.
GROUPS = {NATIVE: 1.0, "tiny": 1.2, "resnet50": 1.2, "gpt2": 1.0}


def floor_of(mode):
    """The key of the floor that sees as much as this mode, None for those that have none."""
    if mode.key == NO_TOOL:
        return None
    return "floor_graph" if mode.whole_graphs else "floor"


def modes_of_row(row, modes):
    return [mode for mode in modes if row.has_graphs or not mode.whole_graphs]


def modes_of_group(group, rows, modes):
    """Those that a group's process can run, of rows of this group."""
    graphs = any(row.has_graphs for row in rows)
    return [mode for mode in modes
            if (graphs or not mode.whole_graphs)
            and not (mode.python_tool and group == NATIVE)
            and not (mode.command and group != NATIVE)]
