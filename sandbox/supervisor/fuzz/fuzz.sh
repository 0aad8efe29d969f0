#!/bin/sh
# Fuzzes the parsers with the sanitizers of gcc or clang: fuzz.sh [SECONDS] [SEED].
set -eu
here=$(cd "$(dirname "$0")" && pwd)
target=$(mktemp -d)
trap 'rm -rf "$target"' EXIT
cd "$here/.."
${CC:-cc} -std=c11 -D_GNU_SOURCE -DOWN_MAIN -g -O1 -Wall -Wextra -Werror -fsanitize=address,undefined -fno-sanitize-recover=all \
  -o "$target/fuzz" fuzz/fuzz.c $(cat sources)
ASAN_OPTIONS=detect_leaks=1 "$target/fuzz" "${1:-10}" "${2:-88172645463325252}" "$here/corpus.hex"
