#!/usr/bin/env bash
# Runs the command line, and loads the libraries, under the glibc of Debian 11, which is fetched.
# usage: old_glibc.sh SCRATCH PREFIX     (PREFIX has bin/gapscope and lib/libgapscope.so)
set -euo pipefail
scratch=$1 prefix=$(realpath "$2")
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
mkdir -p "$scratch/lists/partial" "$scratch/cache/archives/partial"
cd "$scratch"
if [[ ! -d tree ]]; then
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]" \
    "http://deb.debian.org/debian bullseye main" >sources.list
  apt=(apt-get -q -o APT::Sandbox::User=root -o Dir::Etc::sourcelist="$PWD/sources.list"
       -o Dir::Etc::sourceparts=- -o Dir::State::lists="$PWD/lists" -o Dir::Cache="$PWD/cache")
  "${apt[@]}" update >log 2>&1 && "${apt[@]}" download 'libc6=2.31*' >>log 2>&1 ||
    { echo "could not fetch Debian 11's libc6; apt's words are in $PWD/log" >&2; exit 1; }
  dpkg -x libc6_2.31*.deb tree
fi
old=$PWD/tree/lib/x86_64-linux-gnu
under_old() { "$old/ld-2.31.so" --library-path "$old" "$@"; }

under_old "$prefix/bin/gapscope" --version
under_old "$prefix/bin/gapscope" replay --html page.html "$source"/samples/demo.gsrec >page.txt
grep -q 'GPU 0' page.txt
# The loader says in a line what it cannot preload, and goes on.
under_old --preload "$prefix/lib/libgapscope_preload.so" "$prefix/bin/gapscope" --version 2>preload.txt
[[ ! -s preload.txt ]] || { cat preload.txt; exit 1; }
# doctor loads what the variable names in a process with this glibc; without a GPU it ends with 1.
CUDA_INJECTION64_PATH=$prefix/lib/libgapscope.so under_old "$prefix/bin/gapscope" doctor >doctor.txt || true
grep -E '^ok +glibc +2\.31 here' doctor.txt
grep -E "^ok +CUDA_INJECTION64_PATH +$prefix/lib/libgapscope.so loads" doctor.txt
