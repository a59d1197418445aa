#!/usr/bin/env bash
# Compiles and runs the C consumer with nothing but a compiler and pkg-config.
# usage: pkg_config_consumer.sh CC PREFIX LIBDIR SOURCE
set -euo pipefail
cc=$1 prefix=$2 libdir=$3 source=$4
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# A copy elsewhere, with a space in its name: the .pc file must not remember where it came from.
cp -r "$prefix" "$scratch/moved tree"
prefix=$scratch/moved\ tree
export PKG_CONFIG_PATH=$prefix/$libdir/pkgconfig
eval "flags=($(pkg-config --cflags --libs gapscope))"
"$cc" -std=c11 -Wall -Wextra -Werror "$source" "${flags[@]}" -o "$scratch/consumer"
LD_LIBRARY_PATH=$prefix/$libdir GAPSCOPE_ENABLED=0 "$scratch/consumer" 2
LD_LIBRARY_PATH=$prefix/$libdir "$scratch/consumer"
