#!/usr/bin/env bash
# Does cupti_backend compile with the headers of older toolkits? Fetches those of CUDA 12 from PyPI's
# wheels (some 15 MB a version, kept in build/headers) and checks every source against each.
#
#   tests/headers.sh [VERSION...]     default: 12.0 12.1 12.4 12.6 12.8 12.9
#
# Needs a configured preset for Abseil's headers, python3 with pip, unzip. The newest headers are those
# that the library is built with.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The version of each wheel: nvidia-cuda-cupti-cu12, nvidia-cuda-runtime-cu12.
declare -A cupti=([12.0]=12.0.146 [12.1]=12.1.105 [12.4]=12.4.127 [12.6]=12.6.80 [12.8]=12.8.90 [12.9]=12.9.79)
declare -A runtime=([12.0]=12.0.146 [12.1]=12.1.105 [12.4]=12.4.127 [12.6]=12.6.77 [12.8]=12.8.90 [12.9]=12.9.79)
nvtx=12.1.105
versions=("$@")
((${#versions[@]})) || versions=(12.0 12.1 12.4 12.6 12.8 12.9)

absl=$(find build -maxdepth 3 -path '*/_deps/absl-src' | head -1)
[[ -n $absl ]] || { echo "headers: no preset is configured: cmake --preset release" >&2; exit 2; }

# Of a wheel only the headers are kept.
fetch() {
  local into=$1 wheel=$2
  [[ -e $into/.$wheel ]] && return
  local folder
  folder=$(mktemp -d)
  python3 -m pip download --quiet --no-deps --dest "$folder" "$wheel" || { rm -rf "$folder"; return 1; }
  unzip -qo "$folder"/*.whl 'nvidia/*/include/*' -d "$into"
  rm -rf "$folder"
  touch "$into/.$wheel"
}

failed=0
for version in "${versions[@]}"; do
  into=build/headers/$version
  mkdir -p "$into"
  for wheel in "nvidia-cuda-cupti-cu12==${cupti[$version]}" "nvidia-cuda-runtime-cu12==${runtime[$version]}" \
               "nvidia-nvtx-cu12==$nvtx"; do
    fetch "$into" "$wheel" || { echo "headers: cannot fetch $wheel" >&2; exit 2; }
  done
  for source in cupti_backend/*.cc; do
    if ! "${CXX:-g++}" -std=c++20 -fsyntax-only -Wall -Wextra -Werror -Wno-missing-field-initializers \
        -DFMT_HEADER_ONLY=1 -Icupti_backend -Ilib -Iinclude -isystem "$absl" \
        -isystem "$into/nvidia/cuda_cupti/include" -isystem "$into/nvidia/cuda_runtime/include" \
        -isystem "$into/nvidia/nvtx/include" "$source" >"build/headers/log" 2>&1; then
      echo "FAIL $version $source"
      grep -m 5 -E "error|warning" build/headers/log
      failed=1
    fi
  done
  echo "$version: CUPTI API $(sed -n 's/^#define CUPTI_API_VERSION *//p' \
    "$into/nvidia/cuda_cupti/include/cupti_version.h")"
done
exit $failed
