#!/bin/sh
# Instructions of one push of a 32-byte record, not full, under callgrind: the difference of two runs.
# usage: bench/ring/instructions.sh [build folder]; fails when a push takes more than the limit.
set -eu
build=${1:-build/release}
program=$build/gapscope_ring_instructions
limit=25
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

count() {  # how, pushes
  valgrind --tool=callgrind --callgrind-out-file="$dir/out" "$program" "$1" "$2" \
    >"$dir/log" 2>&1 || { cat "$dir/log" >&2; exit 2; }
  sed -n 's/^summary: *\([0-9]*\).*/\1/p; s/^totals: *\([0-9]*\).*/\1/p' "$dir/out" | head -n 1
}
per_push() { echo $((($(count "$1" 300000) - $(count "$1" 100000)) / 200000)); }

loop=$(per_push none)
status=0
for how in fixed header inplace; do
  n=$(($(per_push $how) - loop))
  echo "push of 32 bytes, $how: $n instructions (call and return excluded)"
  [ "$n" -le "$limit" ] || status=1
done
exit $status
