"""A small DDP training for torchrun: one gradient bucket, so one all-reduce a step.

The measured steps stand between cudaProfilerStart and cudaProfilerStop.
"""
import argparse
import json
import os

import torch
import torch.distributed as dist


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=30)
    steps = parser.parse_args().steps
    rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", device_id=torch.device("cuda", rank))
    torch.manual_seed(rank)
    net = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.GELU(), torch.nn.Linear(256, 8)).cuda()
    model = torch.nn.parallel.DistributedDataParallel(net, device_ids=[rank])
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(512, 64, device="cuda")
    y = x[:, :8].argmax(1)

    def step():
        loss = torch.nn.functional.cross_entropy(model(x), y)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        return loss

    for _ in range(5):  # DDP sorts its buckets after the first step
        first = step()
    torch.cuda.synchronize()
    dist.barrier()
    torch.cuda.synchronize()
    torch.cuda.profiler.start()
    for _ in range(steps):
        last = step()
    torch.cuda.synchronize()
    torch.cuda.profiler.stop()
    print(json.dumps({"rank": rank, "first": first.item(), "last": last.item()}), flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
