# What every attack in bash starts with.
held() { printf 'HELD %s\n' "$*"; }
escaped() { printf 'ESCAPED %s\n' "$*"; }
broken() { printf 'BROKEN %s\n' "$*"; }
# must_fail COMMAND…: held when the command fails; a program that is not there proves nothing.
must_fail() {
  "$@" >/dev/null 2>&1 </dev/null
  local status=$?
  case $status in
    0) escaped "$*" ;;
    126 | 127) broken "$* cannot be run" ;;
    *) held "$* ($status)" ;;
  esac
}
# hidden PATH…: held when nothing of it can be read.
hidden() {
  local path text
  for path; do
    if text=$(head -c 64 "$path" 2>/dev/null | tr -d '\0') && [ -n "$text" ]; then escaped "$path shows $text"; else held "$path"; fi
  done
}
# closed PATH…: held when it cannot be opened to write; nothing is written.
closed() {
  local path
  for path; do if (: >>"$path") 2>/dev/null; then escaped "$path opens"; else held "$path"; fi; done
}
umask 022
mkdir -p "$SCRATCH" 2>/dev/null
