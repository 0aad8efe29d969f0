import type { Growth } from "./words.ts";
import { isWild, quoted, word } from "./words.ts";

/** A step where it happens, may happen, happens elsewhere or later. */
export function placed(growth: Growth, step: string): string {
  const { random } = growth;
  return random.pick([
    step,
    step,
    step,
    `(${step})`,
    `{ ${step}; }`,
    `if ls; then ${step}; fi`,
    `ls && ${step}`,
    `ls || ${step}`,
    `while ls; do ${step}; break; done`,
    `for q in 1 2; do ${step}; done`,
    `f() { ${step}; }; f`,
    `f() { ${step}; }`,
    `case a in a) ${step};; esac`,
    `${step} | cat`,
    `cat | ${step}`,
    `${step} &`,
    `: $(${step})`,
    `trap ${quoted(growth, step)} EXIT`,
    `eval ${quoted(growth, step)}`,
    `! ${step}`,
    `${step} >f`,
    `${step} || return`,
    `false && ${step}`,
  ]);
}

/** Names that stand for something else from here on. */
export function rebound(growth: Growth, depth: number): string {
  const { random } = growth;
  const name = random.pick(["ls", "id", "tee", "a"]);
  const binding = random.pick([
    `alias ${name}=rm`,
    `shopt -s expand_aliases; alias ${name}=rm`,
    `shopt -s expand_aliases\nalias ${name}='rm a'`,
    `alias ${name}='rm '`,
    `hash -p /usr/bin/rm ${name}`,
    `hash -p /bin/id ${name}`,
    `${name}() { rm; }`,
    `function ${name} { command ${name}; rm; }`,
    `enable -n echo`,
    `PATH=/usr/bin`,
    `PATH=$PATH:d`,
    `unset PATH`,
    `unset -f ${name}`,
    `declare -fx ${name}`,
    `BASH_ENV=f`,
    `HOME=/tmp`,
    `PS4='$(rm)'; set -x`,
    `set -o posix`,
    `set -k`,
    `trap 'rm' DEBUG`,
    `trap rm ERR; false`,
    `exec 2>f`,
    `FUNCNEST=1`,
    `complete -C rm x`,
    `compgen -C rm`,
    `mapfile -C rm -c 1 a <<< x`,
    `PROMPT_COMMAND=rm`,
    `shopt -s nullglob`,
    `shopt -s extglob`,
    `shopt -s lastpipe; echo a | read x`,
    `set -f`,
    `set -u`,
    `set -n`,
    `set +B`,
    `LANG=C`,
    `TZ=x`,
    `PAGER=rm`,
  ]);
  const use = random.pick([
    name,
    `${name} a`,
    `eval ${name}`,
    `$(${name})`,
    `bash -c ${name}`,
    `(${name} b)`,
    `\\${name}`,
    `command ${name}`,
    `tee *`,
    "tee ~",
    "tee {a,b}",
    "tee !(a)",
    "echo a",
    "$x",
    word(growth, depth + 1),
  ]);
  return `${placed(growth, binding)}${random.pick(["; ", "\n", " && ", "\n"])}${use}${isWild(growth) ? `; unalias -a\n${name}` : ""}`;
}
