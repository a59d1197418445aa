"""ResNet-50 in bfloat16 on synthetic images: a real training run for longer checks.

The measured steps stand between cudaProfilerStart and cudaProfilerStop. --data says where batches
come from: "device" (made once, the GPU's own speed) or "host" (a fresh pinned batch each step,
copied ahead of its use).
"""
import argparse
import statistics
import sys
import time

import torch
import torchvision


def device_batches(batch, size):
    x = torch.randn(batch, 3, size, size, device="cuda").to(memory_format=torch.channels_last)
    y = torch.randint(1000, (batch,), device="cuda")
    while True:
        yield x, y


def host_batches(batch, size):
    """Two pinned batches take turns; an event says when the copy from one is done."""
    x = [torch.randn(batch, 3, size, size).pin_memory() for _ in range(2)]
    y = [torch.randint(1000, (batch,)).pin_memory() for _ in range(2)]
    copied = [torch.cuda.Event() for _ in range(2)]
    turn = 0
    while True:
        copied[turn].synchronize()
        x[turn][:, :, 0, 0].uniform_()  # the host's part of making a batch, kept small
        device_x = x[turn].cuda(non_blocking=True).to(memory_format=torch.channels_last)
        device_y = y[turn].cuda(non_blocking=True)
        copied[turn].record()
        turn = 1 - turn
        yield device_x, device_y


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--warmup", type=int, default=10)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--data", choices=("device", "host"), default="host")
    args = parser.parse_args()
    if not torch.cuda.is_available():
        sys.exit("resnet50_train.py: PyTorch sees no CUDA GPU")
    torch.manual_seed(0)
    torch.backends.cudnn.benchmark = True
    model = torchvision.models.resnet50().cuda().to(memory_format=torch.channels_last)
    optimiser = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    batches = (device_batches if args.data == "device" else host_batches)(args.batch, args.size)

    def step():
        x, y = next(batches)
        with torch.autocast("cuda", torch.bfloat16):
            loss = torch.nn.functional.cross_entropy(model(x), y)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        return loss

    for _ in range(args.warmup):
        loss = step()
    first = loss.item()
    torch.cuda.synchronize()
    torch.cuda.profiler.start()
    begin = time.perf_counter()
    times = []
    for _ in range(args.steps):
        start = time.perf_counter()
        loss = step()
        times.append(1e3 * (time.perf_counter() - start))
    torch.cuda.synchronize()
    wall = time.perf_counter() - begin
    torch.cuda.profiler.stop()
    print(f"steps/s {args.steps / wall:.2f}  images/s {args.steps * args.batch / wall:.0f}  "
          f"step ms p50 {statistics.median(times):.2f}  loss {first:.3f} -> {loss.item():.3f}", flush=True)


if __name__ == "__main__":
    main()
