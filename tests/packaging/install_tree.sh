#!/usr/bin/env bash
# Installs the build folder into a fresh prefix and looks at what lies there.
# usage: install_tree.sh CMAKE BUILD PREFIX BINDIR LIBDIR INCLUDEDIR
set -euo pipefail
cmake=$1 build=$2 prefix=$3 bin=$4 lib=$5 include=$6
rm -rf "$prefix"
"$cmake" --install "$build" --prefix "$prefix" >/dev/null

status=0
for file in "$bin/gapscope" "$lib/libgapscope.so" \
  "$lib/libgapscope_preload.so" "$include/gapscope/gapscope.h" \
  "$include/gapscope/gapscope.hpp" "$lib/cmake/gapscope/gapscopeConfig.cmake" \
  "$lib/cmake/gapscope/gapscopeConfigVersion.cmake" "$lib/pkgconfig/gapscope.pc"; do
  [[ -e $prefix/$file ]] || { echo "not installed: $file"; status=1; }
done
# Nothing else may come along: not Abseil, not our own archives and headers.
others=$(cd "$prefix" && find . -type f | grep -vE \
  "^\./($bin/gapscope|$lib/libgapscope[_a-z]*\.so[.0-9]*|$include/gapscope/gapscope\.hp?p?|$lib/cmake/gapscope/[^/]*\.cmake|$lib/pkgconfig/gapscope\.pc|share/doc/gapscope/[^/]*|share/gapscope/report\.schema\.json)$" || true)
[[ -z $others ]] || { echo "installed, but should not be:"; echo "$others"; status=1; }
if grep -rIl -e "$build" "$prefix"; then
  echo "the files above name the build folder"
  status=1
fi
"$prefix/$bin/gapscope" --version | grep -E '[0-9]+\.[0-9]+\.[0-9]+' || status=1
exit $status
