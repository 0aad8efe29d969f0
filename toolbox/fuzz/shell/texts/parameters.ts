import { FUNCTIONS, PROGRAMS } from "./vocabulary.ts";
import type { Growth } from "./words.ts";
import { isWild, quoted, word } from "./words.ts";

const USES = [
  '"$@"',
  "$@",
  "$*",
  '"$*"',
  "$1 $2",
  '"$1" "$2"',
  '"$1" x',
  "$0 $1",
  '"${@:2}"',
  '"${@:1:2}"',
  '"${@: -1}"',
  "${*:2}",
  "shift; $1 y",
  'shift; "$@"',
  'shift 2; "$@"',
  'shift $#; "$@"',
  'ls "a$@b"',
  'ls a$*b "$@"',
  'cat "$1$@" "$@$@"',
  "cat ${1-a} ${2:-b} ${3+c} ${1:+d}",
  'touch "${1%.c}.o" "${1##*/}"',
  'x="$@"; ls $x',
  'x=$1; $x "$2"',
  'local x=$1 y; $x "$2"',
  'for x; do ls "$x"; done',
  'for x in "$@"; do $x; done',
  'while [ $# -gt 0 ]; do ls "$1"; shift; done',
  'while [ -n "$1" ]; do $1; shift; done',
  'case $1 in a) ls "$2";; *) "$@";; esac',
  'set -- ls "$@"; "$@"',
  'set -- "$2" "$1"; "$@"',
  "set -- $*; $1 z",
  "set --; ls $1 a$@ x$#",
  'if [ "$1" ]; then set -- rm; fi; $1 x',
  '(set -- rm; shift); "$@"',
  'eval "$1 \\"$2\\""',
  "eval 'set -- id; $1'; \"$@\"",
  'cat <<< "$@"',
  "cat <<< $*",
  '"$@" > "$1"',
  'cd "$1"; ls; cd ..',
  "[ $1 = a ] && return; cd d; touch q",
  'IFS=,; set -- $1; "$@"',
  'ls $10 "${10}"',
  "$FUNCNAME",
  "unset -f f; f rm",
  "set -f; ls $1; set +f",
  "trap 'set -- rm' USR1; $1 x",
];

const ARGUMENTS = [
  "rm x",
  "ls",
  "id",
  "a b",
  "'ls -l' x",
  "'rm a' b c",
  '"" rm',
  "*.c rm",
  "d/* x",
  "$x rm",
  '"$x" rm',
  "rm '*'",
  "a,b",
  "$(id) rm",
  "ls {a,b}",
  "-- id",
  "1 2 3",
];

/** A use of positional parameters, with the words that set them: by `set`, a function, or a nested shell. */
export function parameters(growth: Growth, depth: number): string {
  const { random } = growth;
  const uses = Array.from({ length: 1 + random.below(2) }, () => (random.once(6) ? growth.script(depth + 1) : random.pick(USES)));
  const body = uses.join(random.pick(["; ", "\n", " && ", "; "]));
  const given = (): string => (isWild(growth) ? `${word(growth, depth + 1)} ` : "") + random.pick([...ARGUMENTS, ...PROGRAMS]);
  const name = random.pick(FUNCTIONS);
  const call = random.pick(["", "", "", "x=1 ", "! ", "eval ", "command ", "(", "env "]);
  const called = `${call}${name} ${given()}${call === "(" ? ")" : ""}`;
  switch (random.below(11)) {
    case 0:
    case 1:
      return `set -- ${given()}; ${body}`;
    case 2:
    case 3:
      return `${name}() { ${body}\n}; ${called}`;
    case 4:
      return `${name}() { ${body}\n}; ${called}; ${name} ${given()}; ${random.pick(USES)}`;
    case 5:
      return `${name}() { ${body}\n}\ng() { ${name} "$@"; }; g ${given()}${random.pick(["", " > out", " | cat", " &"])}`;
    case 6:
      return `${random.pick(["bash", "sh", "env bash", "bash -e"])} -c ${quoted(growth, body)} ${random.pick(["_", "rm", "a"])} ${given()}`;
    case 7:
      return `find ${random.pick([".", "d", "a b"])} -exec ${random.pick(["sh", "bash"])} -c ${quoted(growth, body)} _ {} ${random.pick(["\\;", "+", "x \\;"])}`;
    case 8:
      return `echo ${random.pick(["a b", "rm", "a"])} | xargs ${random.pick(["", "-n1 ", "-I{} "])}sh -c ${quoted(growth, body)} _ ${random.pick(["", "{}", "a"])}`;
    case 9:
      return `for i in ${given()}; do set -- $i; ${body}; done; ${random.pick(USES)}`;
    default:
      return `if ${random.pick(["ls", "true", "[ -f a ]"])}; then ${name}() { ${body}\n}; fi; ${called}`;
  }
}
