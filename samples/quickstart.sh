#!/usr/bin/env bash
# From a fresh clone to a page that says why the GPU was idle: installs what is missing, builds, and
# profiles a real program. Without a GPU it replays the recording of such a program instead.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. .ci/common.sh

say() { printf '\n>> %s\n' "$*"; }
has_gpu() { command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q '^GPU'; }
has_torch() { python3 -c 'import sys, torch; sys.exit(not torch.cuda.is_available())' 2>/dev/null; }
has_target() { ninja -C "build/$preset" -t query "$1" >/dev/null 2>&1; }

preset=$(default_preset)
say "Installing what is missing, building (preset $preset, some minutes the first time)"
.ci/setup
targets=(gapscope_cli)
[[ $preset == nocuda ]] || targets+=(libgapscope.so)
build_preset "$preset" "${targets[@]}"
build=build/$preset

if has_gpu && [[ $preset == release ]]; then
  if has_torch; then
    program=(python3 samples/train.py)
  elif has_target cpp_train; then
    cmake --build --preset "$preset" --target cpp_train -- --quiet
    program=("$build/cpp_train")
  fi
  if [[ -n ${program-} ]]; then
    say "CUDA_INJECTION64_PATH=$build/libgapscope.so ${program[*]}"
    export CUDA_INJECTION64_PATH=$PWD/$build/libgapscope.so
    export NVTX_INJECTION64_PATH=$CUDA_INJECTION64_PATH
    exec "${program[@]}"
  fi
  say "There is a GPU, but neither PyTorch nor cuBLAS to compute with; the shipped recording:"
elif has_gpu; then
  say "There is a GPU, but not the CUDA toolkit's headers to build the library; the shipped recording:"
else
  say "No GPU here. This page is replayed from the recording of a PyTorch training on one:"
fi
exec "$build/gapscope" replay
