#!/bin/sh
# npm run fuzz -- frames [--seconds N] [--keep]
exec sh "$(dirname "$0")/../../sandbox/supervisor/fuzz/fuzz-frames.sh" "$@"
