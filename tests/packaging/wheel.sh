#!/usr/bin/env bash
# Builds the wheel as pip does and holds it against what it promises, in environments of its own.
# It needs a network and minutes, so it is no part of .ci/run: run it before a release.
#
#   tests/packaging/wheel.sh             writes build/wheel-test/dist/gapscope-*-manylinux_2_28_x86_64.whl
#   tests/packaging/wheel.sh WHEEL       a wheel that is there is not built again
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. .ci/common.sh
root=$PWD
work=$root/build/wheel-test
mkdir -p "$work"

.ci/setup --portable
export CCACHE_COMPILERCHECK=content  # the compiler is a script in each build's own folder
wheel=${1-}
if [[ -z $wheel ]]; then
  echo "== pip wheel ."
  rm -rf "$work/dist"
  python3 -m venv --clear "$work/build"
  "$work/build/bin/pip" wheel -q --disable-pip-version-check --no-deps -w "$work/dist" \
    -C wheel.tags=py3-none-manylinux_2_28_x86_64 .
  wheel=$(echo "$work"/dist/gapscope-*.whl)
fi
echo "== $wheel"
python3 -B tests/packaging/wheel_rules.py "$wheel" "$root"

echo "== auditwheel"
python3 -m venv "$work/audit"
"$work/audit/bin/pip" install -q --disable-pip-version-check auditwheel==6.8.2
"$work/audit/bin/auditwheel" show "$wheel" | tee "$work/auditwheel.txt" | sed -n '/consistent/,/^$/p'
grep -qE 'manylinux_2_(28|27|26|24|17)_x86_64' "$work/auditwheel.txt"

echo "== a fresh environment"
python3 -m venv --clear "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check --no-index "$wheel"
build_preset release fake_program fake_cupti_13 bench_fake_cuda report_check gapscope libgapscope.so \
  libgapscope_preload.so
python3 -B tests/packaging/wheel_check.py "$work/venv" "$root"
echo "== an older glibc (2.31, Debian 11's)"
tests/packaging/old_glibc.sh "$work/old-glibc" "$work"/venv/lib/python3*/site-packages/gapscope
echo "== all passed: $wheel"
