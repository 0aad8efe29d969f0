#!/bin/sh
# Builds warder-host of main.c and what `sources` lists, lowest first, into the directory given (default: sandbox/build). Does nothing when it is up to date.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
target=${1:-$here/../build}
program=$target/warder-host
if [ -x "$program" ] && [ -z "$(find "$here" "$here"/../supervisor/files/names.[ch] "$here"/../supervisor/files/sha256.[ch] -newer "$program" -type f \( -name '*.c' -o -name '*.h' -o -name 'build.sh' -o -name sources \))" ]; then
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
# Written beside and renamed: an interrupted build leaves no half program.
$compiler -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -fstack-protector-strong -D_FORTIFY_SOURCE=2 \
  -static -s -o "$program.$$" main.c $(cat sources)
mv -f "$program.$$" "$program"
