#!/usr/bin/env bash
# Where everything is in place, .ci/setup calls no package manager, and so no network.
# usage: setup_second_run.sh SOURCE          (77: this machine was not set up by .ci/setup)
set -euo pipefail
source=$1
compgen -G "$source/build/deps/abseil_*.orig.tar.gz" >/dev/null || exit 77
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for tool in apt-get apt curl wget; do
  printf '#!/bin/sh\necho "%s $*" >>"%s/calls"\nexit 1\n' "$tool" "$scratch" >"$scratch/$tool"
  chmod +x "$scratch/$tool"
done
PATH=$scratch:$PATH "$source/.ci/setup"
[[ ! -e $scratch/calls ]] || { echo ".ci/setup called:"; cat "$scratch/calls"; exit 1; }
