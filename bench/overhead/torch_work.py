"""The PyTorch rows, run by a child process that has not used CUDA before. Each returns the median
milliseconds a step over blocks of steps that end with a synchronisation."""
import os
import statistics
import tempfile
import time


def start_tool(name, torch):
    """A profiler that the program starts itself. It is never stopped: its export is not measured."""
    if name in ("torch_cuda", "torch_cpu"):
        from torch.profiler import ProfilerActivity, profile
        activities = [ProfilerActivity.CUDA] + ([ProfilerActivity.CPU] if name == "torch_cpu" else [])
        profiler = profile(activities=activities)
        profiler.__enter__()
        return profiler
    if name == "proton":
        import triton.profiler as proton
        # Named, so that Proton need not build Triton's driver helper to find out.
        return proton.start(os.path.join(tempfile.gettempdir(), "overhead-proton"), backend="cupti")
    return None


def median_ms(step, blocks, steps, torch):
    for _ in range(3):
        step()
    torch.cuda.synchronize()
    times = []
    for _ in range(blocks):
        begin = time.perf_counter()
        for _ in range(steps):
            step()
        torch.cuda.synchronize()
        times.append(1e3 * (time.perf_counter() - begin) / steps)
    return statistics.median(times)


def tiny_step(torch, device="cuda"):
    x = torch.randn(64, 64, device=device)

    def step():
        h = x
        for _ in range(400):
            h = torch.tanh(h * 1.01 + 0.01)
        return h
    return step


def resnet50_step(torch, device="cuda", batch=64, size=224):
    import torchvision
    with torch.device(device):
        model = torchvision.models.resnet50().to(memory_format=torch.channels_last)
        x = torch.randn(batch, 3, size, size).to(memory_format=torch.channels_last)
        y = torch.randint(1000, (batch,))
    optimiser = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)

    def step():
        with torch.autocast(device, torch.bfloat16):
            loss = torch.nn.functional.cross_entropy(model(x), y)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        return loss
    return step


def gpt2_step(torch, device="cuda", batch=8, length=512, layers=12):
    import transformers
    config = transformers.GPT2Config(n_layer=layers, use_cache=False)
    with torch.device(device):
        model = transformers.GPT2LMHeadModel(config).train()
        ids = torch.randint(config.vocab_size, (batch, length))
    optimiser = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)

    def step():
        with torch.autocast(device, torch.bfloat16):
            logits = model(input_ids=ids).logits
        loss = torch.nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1).float(), ids[:, 1:].flatten())
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        return loss
    return step


def replayed(step, torch):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


def measure(group, rows, tool, keep):
    """{row: milliseconds a step}, for rows of one group. The started tool is appended to keep, to
    outlive the call."""
    import torch
    torch.manual_seed(0)
    make = {"tiny": tiny_step, "resnet50": resnet50_step, "gpt2": gpt2_step}[group]
    step = make(torch)
    for _ in range(5):
        step()
    torch.cuda.synchronize()
    keep.append(start_tool(tool, torch))
    result = {}
    if "eager" in rows:
        result["eager"] = median_ms(step, 10, 5, torch)
    if "replay" in rows:
        result["replay"] = median_ms(replayed(step, torch), 10, 20, torch)
    if group in rows:
        result[group] = median_ms(step, 5, 5, torch)
    return result


def offline():
    """Nothing is downloaded; asking whether there is a GPU does not start CUDA in this process."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    os.environ["PYTORCH_NVML_BASED_CUDA_CHECK"] = "1"


def import_for(group):
    """What a group needs, without starting CUDA. Raises ImportError."""
    offline()
    import torch  # noqa: F401
    if group == "resnet50":
        import torchvision.models  # noqa: F401
    if group == "gpt2":
        import transformers
        transformers.GPT2LMHeadModel  # imported when first named
