"""A small PyTorch training to try gapscope on: a character-level transformer on synthetic text.

    python3 train.py --steps 200
    CUDA_INJECTION64_PATH=/path/to/libgapscope.so python3 train.py --steps 200

Nothing here knows of the profiler. stdout is the same in every run with the same options; the speed
goes to stderr. --workers 0 makes the batches in the training thread, as many first scripts do.
"""
import argparse
import os
import sys
import time

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # for runs that repeat exactly

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

VOCABULARY = 64


class Sequences(Dataset):
    """Sequences in which each token follows from the two before it, with a little noise."""

    def __init__(self, count, length):
        self.count, self.length = count, length

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        random = torch.Generator().manual_seed(index)
        noise = torch.rand(self.length + 1, generator=random).tolist()
        tokens = torch.randint(VOCABULARY, (2,), generator=random).tolist()
        for i in range(self.length - 1):
            following = (5 * tokens[-1] + 3 * tokens[-2] + 1) % VOCABULARY
            tokens.append(following if noise[i] > 0.02 else int(noise[i] * 50 * VOCABULARY) % VOCABULARY)
        tokens = torch.tensor(tokens)
        return tokens[:-1], tokens[1:]


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x, mask):
        batch, length, width = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        scores = (q @ k.transpose(-2, -1)) * (width // self.heads) ** -0.5
        mixed = scores.masked_fill(mask[:length, :length], float("-inf")).softmax(-1) @ v
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, length, width))
        return x + self.mlp(self.norm2(x))


class Model(nn.Module):
    def __init__(self, length, width=256, heads=4, layers=4):
        super().__init__()
        self.tokens, self.places = nn.Embedding(VOCABULARY, width), nn.Embedding(length, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, VOCABULARY)
        self.register_buffer("mask", torch.ones(length, length, dtype=torch.bool).triu(1))

    def forward(self, tokens):
        x = self.tokens(tokens) + self.places.weight[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x, self.mask)
        return self.head(self.norm(x))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--length", type=int, default=64, help="tokens in a sequence")
    parser.add_argument("--workers", type=int, default=2, help="processes that make batches")
    args = parser.parse_args()
    if not torch.cuda.is_available():
        sys.exit("train.py: PyTorch sees no CUDA GPU")

    torch.manual_seed(0)
    torch.use_deterministic_algorithms(True)
    torch.utils.deterministic.fill_uninitialized_memory = False  # a kernel for each new tensor
    model = Model(args.length).cuda()
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3)
    loader = DataLoader(Sequences(args.steps * args.batch, args.length), args.batch,
                        num_workers=args.workers, pin_memory=True)
    begin = time.perf_counter()
    for step, (x, y) in enumerate(loader, 1):
        x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
        loss = nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten())
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        if step == 1 or step % 20 == 0 or step == args.steps:
            print(f"step {step} loss {loss.item():.3f}", flush=True)
    seconds = time.perf_counter() - begin
    print(f"train.py: {args.steps / seconds:.1f} steps/s", file=sys.stderr)


if __name__ == "__main__":
    main()
