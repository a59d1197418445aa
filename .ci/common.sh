# Sourced by the scripts that build and test: tests/run.sh, samples/quickstart.sh, .ci/run.
# They run from the root of the repository.

# Presets whose flags agree share their objects.
if command -v ccache >/dev/null; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
  export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
fi

# The preset for this machine: `release` where the CUDA toolkit's headers are, else `nocuda`.
default_preset() {
  local root
  for root in "${CUDA_HOME-}" "${CUDA_PATH-}" /usr/local/cuda /usr; do
    [[ -n $root && -f $root/include/cuda.h ]] || continue
    if [[ -f $root/include/cupti.h || -f $root/extras/CUPTI/include/cupti.h ]]; then
      echo release
      return
    fi
  done
  echo nocuda
}

# ThreadSanitizer of g++ 12 and clang 14 cannot start where the kernel randomises more than 28 bits
# of an address: there its programs run without randomisation.
runner_for() {
  local bits
  bits=$(cat /proc/sys/vm/mmap_rnd_bits 2>/dev/null || echo 0)
  if [[ $1 == tsan ]] && ((bits > 28)) && setarch -R true 2>/dev/null; then
    echo "setarch -R"
  fi
}

# Configures and builds a preset; further arguments are targets (default: everything).
build_preset() {
  local preset=$1 target targets=()
  shift
  for target in "$@"; do targets+=(--target "$target"); done
  echo "== $preset: configure and build"
  # Without the toolkit each preset is built without cupti_backend.
  local options=()
  [[ $(default_preset) == release ]] || options=(-DGAPSCOPE_CUDA=OFF)
  cmake --preset "$preset" --log-level=WARNING ${options[@]+"${options[@]}"} >/dev/null || return
  $(runner_for "$preset") cmake --build --preset "$preset" -j "$(nproc)" \
    ${targets[@]+"${targets[@]}"} -- --quiet
}

test_preset() {
  echo "== $1: test"
  $(runner_for "$1") ctest --preset "$1" -j "$(nproc)" --label-exclude gpu --no-tests=error
}
