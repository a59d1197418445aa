#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test that needs no GPU.
#
#   tests/run.sh            preset `release`, or `nocuda` without the CUDA toolkit's headers
#   tests/run.sh PRESET...  the presets of CMakePresets.json that are named
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. .ci/common.sh

.ci/setup
(($#)) || set -- "$(default_preset)"
for preset in "$@"; do
  build_preset "$preset"
  test_preset "$preset"
done
