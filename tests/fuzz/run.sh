#!/usr/bin/env bash
# Fuzzes with libFuzzer and keeps what it learnt small.
#
#   tests/fuzz/run.sh [SECONDS [NAME...]]   each harness for so long (default 600); all of them
#
# Needs clang. New inputs collect in build/fuzz/corpus/NAME; at the end the smallest set of them that
# reaches the same code is printed as a count, and at most KEEP of its files (of up to 8 KiB) are copied
# to tests/data/fuzz/NAME, where ctest replays them. What breaks a rule lies in build/fuzz/found: mend it,
# and keep it in tests/data/fuzz/NAME.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. .ci/common.sh
seconds=${1:-600}
shift || true
names=("$@")
((${#names[@]})) || names=(recording records stream report config)
keep=${KEEP:-24}

cmake -S . -B build/fuzz -G Ninja --log-level=WARNING \
  -DCMAKE_C_COMPILER="${CC:-clang}" -DCMAKE_CXX_COMPILER="${CXX:-clang++}" \
  -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -g1 -fno-sanitize-recover=undefined" \
  -DGAPSCOPE_FUZZ=ON -DGAPSCOPE_SANITIZE=fuzzer-no-link,address,undefined \
  -DGAPSCOPE_CUDA=OFF -DGAPSCOPE_BENCH=OFF >/dev/null
ninja -C build/fuzz --quiet "${names[@]/#/fuzz_}"

mkdir -p build/fuzz/found
for name in "${names[@]}"; do
  binary=$(find build/fuzz -name "fuzz_$name" -type f)
  seeds=tests/data/fuzz/$name corpus=build/fuzz/corpus/$name
  mkdir -p "$corpus"
  echo "== $name: $seconds s"
  # A report is larger than what the others read.
  length=4096
  [[ $name != report ]] || length=65536
  "$binary" -max_total_time="$seconds" -max_len=$length -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 \
    -artifact_prefix="build/fuzz/found/$name-" "$corpus" "$seeds" >"build/fuzz/$name.log" 2>&1 ||
    { tail -30 "build/fuzz/$name.log"; exit 1; }
  grep -E "stat::(number_of_executed_units|new_units_added|peak_rss)" "build/fuzz/$name.log"
  grep -E "^#.*DONE" "build/fuzz/$name.log" | tail -1
  rm -rf "$corpus.small" && mkdir "$corpus.small"
  "$binary" -merge=1 -max_len=$length "$corpus.small" "$seeds" "$corpus" >"build/fuzz/$name.merge.log" 2>&1
  echo "$name: $(ls "$corpus.small" | wc -l) inputs reach all that was reached"
  # Of all sizes: the small ones say little each, the large ones reach deep.
  count=$(ls "$corpus.small" | wc -l)
  ls -Sr "$corpus.small" | awk -v step="$((count / keep + 1))" 'NR % step == 0' | while read -r file; do
    [[ $(stat -c %s "$corpus.small/$file") -gt 8192 ]] || cp -n "$corpus.small/$file" "$seeds/$file"
  done
done
