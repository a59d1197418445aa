#!/usr/bin/env bash
# Do the tests of ring/ and analysis/ notice when the code is wrong? See mutate.py.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
.ci/setup
exec python3 -B tests/mutate.py "$@"
