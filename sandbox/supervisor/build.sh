#!/bin/sh
# Builds warder-supervisor of main.c and what `sources` lists, lowest first, into the directory given (default: sandbox/build). Does nothing when it is up to date.
# musl-gcc gives a static program of some 50 KB; any other C compiler that links statically will do.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
target=${1:-$here/../build}
program=$target/warder-supervisor
if [ -x "$program" ] && [ -z "$(find "$here" -newer "$program" -type f \( -name '*.c' -o -name '*.h' -o -name 'build.sh' -o -name sources \))" ]; then
  exit 0
fi
compiler=${CC:-}
if [ -z "$compiler" ]; then
  for candidate in musl-gcc cc gcc clang; do
    if command -v "$candidate" >/dev/null 2>&1; then compiler=$candidate && break; fi
  done
fi
if [ -z "$compiler" ]; then
  echo "build.sh: no C compiler; install musl-tools or gcc" >&2
  exit 1
fi
mkdir -p "$target"
cd "$here"
# Written beside and renamed: a running session keeps the program it has, and an interrupted build leaves none.
$compiler -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -fstack-protector-strong -D_FORTIFY_SOURCE=2 \
  -static -s -o "$program.$$" main.c $(cat sources)
mv -f "$program.$$" "$program"
