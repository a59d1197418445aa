"""GPT-2 (small configuration, fresh weights) on synthetic tokens: a real training run.

The model is that of the transformers package; nothing is downloaded. Tokens follow a rule, so the
loss falls. The measured steps stand between cudaProfilerStart and cudaProfilerStop. --log-every N
reads the loss every N steps, as training scripts do (0: never).
"""
import argparse
import os
import statistics
import sys
import time

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

import torch
import transformers


def tokens(batch, length, vocabulary, generator):
    """Each row counts upwards from a random token in steps of a random size."""
    begin = torch.randint(vocabulary, (batch, 1), generator=generator)
    stride = torch.randint(1, 5, (batch, 1), generator=generator)
    return (begin + stride * torch.arange(length)) % vocabulary


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--warmup", type=int, default=10)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--length", type=int, default=512)
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--log-every", type=int, default=10)
    parser.add_argument("--compile", action="store_true", help="torch.compile the model")
    args = parser.parse_args()
    if not torch.cuda.is_available():
        sys.exit("gpt2_train.py: PyTorch sees no CUDA GPU")
    torch.manual_seed(0)
    config = transformers.GPT2Config(n_layer=args.layers, n_positions=max(1024, args.length), use_cache=False)
    model = transformers.GPT2LMHeadModel(config).cuda().train()
    if args.compile:
        model = torch.compile(model)
    optimiser = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    generator = torch.Generator().manual_seed(1)
    vocabulary = 5000

    def step(number):
        ids = tokens(args.batch, args.length, vocabulary, generator).pin_memory().cuda(non_blocking=True)
        with torch.autocast("cuda", torch.bfloat16):
            logits = model(input_ids=ids).logits
        loss = torch.nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1).float(), ids[:, 1:].flatten())
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        if args.log_every and number % args.log_every == 0:
            loss.item()
        return loss

    for i in range(args.warmup):
        loss = step(i)
    first = loss.item()
    torch.cuda.synchronize()
    torch.cuda.profiler.start()
    begin = time.perf_counter()
    times = []
    for i in range(args.steps):
        start = time.perf_counter()
        loss = step(i)
        times.append(1e3 * (time.perf_counter() - start))
    torch.cuda.synchronize()
    wall = time.perf_counter() - begin
    torch.cuda.profiler.stop()
    print(f"steps/s {args.steps / wall:.2f}  tokens/s {args.steps * args.batch * args.length / wall:.0f}  "
          f"step ms p50 {statistics.median(times):.2f}  loss {first:.3f} -> {loss.item():.3f}", flush=True)


if __name__ == "__main__":
    main()
