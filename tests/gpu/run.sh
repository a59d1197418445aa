#!/usr/bin/env bash
# Holds the built library against a real GPU and against torch.profiler. See README.md here.
#
#   tests/gpu/run.sh [quick|cases|programs|planted|endings|multi|soak]...   default: all but quick and soak
#
#   BUILD=build/release  the built library, CLI and programs
#   CASES=../shared/cases  the folder of workload cases (only the groups quick and cases need it)
#   OUT=./gpu-out        logs: run.log, results.md, reports.jsonl.gz, at most 8 files
#   BUDGET=540           seconds; what has not begun by then is not run and counts as failed
#   ONLY=substring       runs only the checks whose name contains it
#
# Exit code: 0 all passed, 1 something failed, 2 no GPU or no PyTorch or nothing built.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
python=${PYTHON:-python3}
if ! command -v "$python" >/dev/null; then
  echo "tests/gpu: no $python on this machine" >&2
  exit 2
fi
export PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
exec "$python" "$here/check.py" --build "${BUILD:-$root/build/release}" \
  --cases "${CASES:-$root/../shared/cases}" --out "${OUT:-gpu-out}" \
  --budget "${BUDGET:-540}" --only "${ONLY:-}" "$@"
