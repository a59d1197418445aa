"""A small training in an awkward process: a DataLoader whose workers are forked, threads that come and
go, one that keeps the interpreter's lock busy to the very end, collections, a second thread that
launches. Prints the same in every run.
"""
import argparse
import gc
import sys
import threading

import torch
from torch import nn


class Numbers(torch.utils.data.Dataset):
    def __len__(self):
        return 256

    def __getitem__(self, index):
        return torch.full((64,), float(index)), index % 8


def spin():
    while True:
        sum(range(1000))


def launch(device):
    x = torch.ones(256, 256, device=device)
    for _ in range(50):
        x = (x @ x) / 256
    torch.cuda.synchronize()


def garbage():
    for _ in range(5):
        cycle = []
        cycle.append(cycle)
        gc.collect()


def train(device, start_threads):
    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 8)).to(device)
    optimiser = torch.optim.SGD(model.parameters(), 1e-4)
    loader = torch.utils.data.DataLoader(Numbers(), batch_size=32, num_workers=2,
                                         multiprocessing_context="fork", pin_memory=True)
    steps = 0
    batches = iter(loader)  # forks the workers
    start_threads()
    for x, y in batches:
        loss = nn.functional.cross_entropy(model(x.to(device, non_blocking=True)), y.to(device))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        steps += 1
    return steps


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--status", type=int, default=0, help="exit code")
    status = parser.parse_args().status
    sys.setswitchinterval(0.0005)  # the busy thread lets the others run more often: a run takes seconds
    device = torch.device("cuda")
    torch.zeros(1, device=device)
    threads = [threading.Thread(target=launch, args=(device,)) for _ in range(2)]
    threads += [threading.Thread(target=garbage) for _ in range(2)]
    threads[:0] = [threading.Thread(target=spin, daemon=True)]

    def start():
        for thread in threads:
            thread.start()

    steps = train(device, start)
    for thread in threads[1:]:
        thread.join()
    print("steps", steps, flush=True)
    raise SystemExit(status)


if __name__ == "__main__":
    main()
