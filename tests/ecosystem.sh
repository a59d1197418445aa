#!/usr/bin/env bash
# What other people's tools make of our files: HolisticTraceAnalysis of the trace, Chromium of the
# HTML page. Installs what it needs (apt packages as root, PyPI packages into build/ecosystem) and is
# run by hand before a release: it needs a network, so it is no part of .ci/run.
#
#   tests/ecosystem.sh            everything
#   tests/ecosystem.sh trace|page one of them
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. .ci/common.sh
what=${1-all}
case $what in all | trace | page) ;; *) echo "usage: tests/ecosystem.sh [trace|page]" >&2; exit 2 ;; esac

.ci/setup
preset=$(default_preset)
build_preset "$preset" gapscope
gapscope=$PWD/build/$preset/gapscope
work=$PWD/build/ecosystem
mkdir -p "$work"

venv() {
  [[ -x $work/venv/bin/pip ]] || python3 -m venv "$work/venv"
  "$work/venv/bin/pip" install -q --disable-pip-version-check "$@"
}

if [[ $what != page ]]; then
  echo "== trace: HolisticTraceAnalysis"
  venv HolisticTraceAnalysis==0.5.0
  "$work/venv/bin/python" -B tests/ecosystem/trace_check.py "$gapscope" "$PWD" "$work"
fi
if [[ $what != trace ]]; then
  echo "== page: Chromium"
  if ! command -v chromium >/dev/null || ! command -v chromedriver >/dev/null; then
    apt-get -q -y install --no-install-recommends chromium chromium-driver >"$work/apt.log" 2>&1 ||
      { echo "could not install chromium (see $work/apt.log); as root: apt-get update" >&2; exit 1; }
  fi
  venv selenium==4.51.0
  "$work/venv/bin/python" -B tests/ecosystem/page_check.py "$gapscope" "$PWD" "$work"
fi
echo "== all passed; screenshots are in build/ecosystem"
