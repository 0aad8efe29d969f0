#!/bin/sh
# The parsers of frames and requests under libFuzzer, with the sanitizers: fuzz-frames.sh [--seconds N] [--keep].
# Starts from corpus.hex; --keep adds what reached something new, as little of it as reaches the same.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
seconds=60 keeps=
while [ $# -gt 0 ]; do
  case $1 in
    --seconds) seconds=${2:?--seconds takes a number} && shift 2 ;;
    --keep) keeps=1 && shift ;;
    *) echo "usage: npm run fuzz -- frames [--seconds N] [--keep]" >&2 && exit 2 ;;
  esac
done
case $seconds in '' | *[!0-9]*) echo "fuzz:frames: --seconds takes a whole number" >&2 && exit 2 ;; esac
compiler=${CLANG:-clang}
target=$(mktemp -d)
trap 'rm -rf "$target"' EXIT
cd "$here/.."
if ! command -v "$compiler" >/dev/null 2>&1; then
  echo "fuzz:frames: there is no $compiler. Install it with libFuzzer (Debian: apt-get install clang libclang-rt-14-dev), or name one: CLANG=clang-14" >&2
  exit 2
fi
if ! "$compiler" -std=c11 -D_GNU_SOURCE -g -O1 -Wall -Wextra -Werror -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
  -o "$target/fuzz" fuzz/fuzz.c $(cat sources); then
  echo "fuzz:frames: $compiler built no fuzzer: where it names libclang_rt.fuzzer, libFuzzer is missing (Debian: apt-get install libclang-rt-14-dev)" >&2
  exit 2
fi
mkdir "$target/corpus" "$target/found" "$target/merged"
number=0
while read -r line; do
  number=$((number + 1))
  printf '%s' "$line" | sed 's/../\\x&/g' | xargs -0 printf >"$target/corpus/$number"
done <"$here/corpus.hex"
status=0
"$target/fuzz" -max_total_time="$seconds" -max_len=4096 -timeout=5 -rss_limit_mb=1024 -print_final_stats=1 -verbosity=0 \
  -artifact_prefix="$target/found/" "$target/corpus" >"$target/log" 2>&1 || status=$?
if [ "$status" -ne 0 ]; then
  cat "$target/log" >&2
  for input in "$target"/found/*; do [ -f "$input" ] && echo "found: $(od -An -v -tx1 "$input" | tr -d ' \n')" >&2; done
  exit 1
fi
runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$target/log")
"$target/fuzz" -merge=1 -verbosity=0 "$target/merged" "$target/corpus" 2>"$target/merge.log"
reached=$(sed -n 's/.*MERGE-OUTER: [0-9]* new files with [0-9]* new features added; \([0-9]*\) new coverage edges.*/\1/p' "$target/merge.log")
kept=$(find "$target/merged" -type f | wc -l)
echo "$runs inputs in $seconds s, nothing found; ${reached:-?} edges reached by $((kept)) inputs (corpus: $number)"
if [ -n "$keeps" ]; then
  for input in "$target"/merged/*; do od -An -v -tx1 "$input" | tr -d ' \n' && echo; done | sort >"$here/corpus.hex"
  echo "corpus.hex has $((kept)) inputs now"
fi
