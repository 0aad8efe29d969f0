import type { Random } from "../../../shared/random.ts";
import { FUNCTIONS, PROGRAMS, TARGETS } from "./vocabulary.ts";
import { singleQuoted } from "./words.ts";

/** What the steps and uses of one text share. */
export type Draw = {
  readonly random: Random;
  /** The variable that a step sets and a use reads. */
  readonly name: string;
  readonly other: string;
  /** A value, quoted so that it is one word of an assignment. */
  readonly value: () => string;
  readonly command: () => string;
};

export type Feature = (draw: Draw) => string;

/** Commands that show which word, directory or program they got. */
export function command({ random, name }: Pick<Draw, "random" | "name">): string {
  return random.pick([`tee $${name}`, `tee "$${name}"`, `$${name} a`, `echo >$${name}`, `rm "$${name}"`, `touch a$${name}`, "tee q", ">q", "ls *", "id"]);
}

const PLAIN_VALUES = [...PROGRAMS, "a", "d", "f", "1", "-n", "../a", "d/f", "x=1", "a,b", "a:b", "é"];
const QUOTED_VALUES = [
  "''",
  "'a b'",
  "'rm a'",
  "' a'",
  "'*'",
  "'a*'",
  "'?'",
  "'[ab]'",
  "'~'",
  "'{a,b}'",
  "'$y'",
  "'a\\b'",
  "'\\*'",
  "'a\nb'",
  '"a\'b"',
  "'a,,b'",
  "'-- a'",
];
const MADE_VALUES = [
  "~",
  "~/a",
  "$y",
  '"$y"',
  "$1",
  '"$1"',
  "$(echo a b)",
  "$(echo rm)",
  "$(pwd)",
  '"$(echo a b)"',
  "`echo a`",
  "${y:-a}",
  "${y%a}",
  "$#",
  "$?",
  "$((1+1))",
];

/** A value of each kind that the shells treat in a way of their own, plain ones more often. */
export function value(random: Random): string {
  return random.pick(random.once(3) ? MADE_VALUES : random.once(2) ? QUOTED_VALUES : PLAIN_VALUES);
}

/** What a step can do to the shell for the steps behind it. */
export const STEPS: Readonly<Record<string, Feature>> = {
  variable: ({ name, value: given }) => `${name}=${given()}`,
  "variable-of-variable": ({ name, other, random, value: given }) =>
    `${other}=${given()}; ${name}=${random.pick([`$${other}`, `"$${other}"`, `a$${other}`, `\${${other}:-b}`])}`,
  "variable-twice": ({ name, value: given, random }) => `${name}=${given()}${random.pick(["; ", " ", " && ", " || ", " | ", " & "])}${name}=${given()}`,
  appended: ({ name, value: given }) => `${name}=${given()}; ${name}+=${given()}`,
  exported: ({ name, value: given, random }) => `${random.pick(["export", "export", "export --", "declare -x"])} ${name}=${given()}`,
  declared: ({ name, value: given, random }) => `${random.pick(["declare", "typeset", "readonly", "declare -r", "declare -g", "local"])} ${name}=${given()}`,
  lowered: ({ name, value: given, random }) => `declare -${random.pick(["l", "u", "c", "t", "i"])} ${name}=${given()}`,
  unset: ({ name, value: given, random }) => `${name}=${given()}; unset ${random.pick(["", "-v ", "-f ", "-n "])}${name}`,
  defaulted: ({ name, value: given, random }) => `${random.pick([":", "echo", "test"])} \${${name}${random.pick([":=", "="])}${given()}}`,
  counted: ({ name, random }) => random.pick([`${name}=$((${name}+1))`, `((${name}=1))`, `let ${name}=2`, `${name}=1; ((${name}++))`, `((${name}+=2, 1))`]),
  prefixed: ({ name, value: given, random }) => `${name}=${given()} ${random.pick([":", "eval :", "true", "f", "export y", "set -- a", "command :", "cd ."])}`,
  read: ({ name, value: given, random }) =>
    `${random.pick(["read", "read -r", "IFS= read -r", "IFS=, read", "read -a", "read y"])} ${name} ${random.pick([`<<< ${given()}`, "<f", `<<E\n${given().replaceAll("\n", " ")} b\nE\n:`])}`,
  printed: ({ name, value: given, random }) => `printf -v ${name} ${random.pick(["%s", "%q", "%d", "a%sb", "%s,"])} ${given()}`,
  mapped: ({ name, value: given, random }) => `mapfile ${random.pick(["-t", "-n 1", "-s 1", "-d ,"])} ${name} <<< ${given()}`,
  array: ({ name, value: given, random }) =>
    random.pick([
      `${name}=(${given()} ${given()})`,
      `${name}[1]=${given()}`,
      `${name}=([0]=${given()} b)`,
      `${name}+=(${given()})`,
      `declare -A ${name}; ${name}[a]=${given()}`,
    ]),
  positional: ({ value: given, random }) =>
    `set ${random.pick(["--", "--", "-", "-e", "-f --", ""])} ${given()} ${given()}${random.pick(["", "; shift", "; shift 2", "; shift $#"])}`,
  option: ({ random }) =>
    `set ${random.pick(["-e", "-u", "-f", "-x", "-C", "+f", "-n", "-v", "-o noglob", "-o pipefail", "-o nounset", "+o errexit", "-eu", "-o posix", "-a", "-k", "-B", "+B", "-T", "-E"])}`,
  "bash-option": ({ random }) =>
    `shopt ${random.pick(["-s", "-s", "-u"])} ${random.pick(["nullglob", "failglob", "dotglob", "extglob", "lastpipe", "inherit_errexit", "xpg_echo", "expand_aliases", "nocasematch", "globstar", "cdable_vars", "sourcepath", "checkwinsize"])}`,
  function: ({ random, command: run }) => {
    const [open, close] = random.pick(["{}", "{}", "()"]).split("");
    return `${random.pick(FUNCTIONS)}() ${open ?? ""} ${run()}; ${random.pick(["", "return; ", "local x; ", "shift; ", "cd d; ", "set -- rm; "])}${close ?? ""}`;
  },
  "function-of-program": ({ random, command: run }) => `${random.pick(["ls", "tee", "id", "g-h", "command_not_found_handle"])}() { ${run()}; }`,
  alias: ({ random }) =>
    `${random.pick(["", "shopt -s expand_aliases; "])}alias ${random.pick(["ls", "tee", "id"])}=${random.pick(["rm", "'rm a;'", "'tee '"])}${random.pick(["", "\n"])}`,
  directory: ({ name, random }) =>
    `${random.pick(["cd", "cd", "cd --", "cd -P", "pushd", "command cd"])} ${random.pick(["d", "d", "..", "/tmp", "~", "-", "", `"$${name}"`, "d/..", ".", "./d", "nodir", '"$(pwd)"/d', "*", "d >f"])}`,
  "directory-made": ({ random }) => `mkdir ${random.pick(["d", "-p d/e", "n"])}${random.pick(["; ", " && ", " || "])}cd ${random.pick(["d", "n", "d/e"])}`,
  separators: ({ random }) =>
    `${random.pick(["", "", "export ", "unset IFS; "])}IFS=${random.pick([",", ":", "", "' '", "' ,'", "$' \\t\\n'", "a", "'\\'", "é", "$x", "'*'"])}`,
  trap: ({ random, command: run }) => `trap ${singleQuoted(run())} ${random.pick(["EXIT", "EXIT", "0", "ERR", "DEBUG", "RETURN", "INT", "CHLD", "EXIT INT"])}`,
  descriptor: ({ random }) =>
    `exec ${random.pick(["3>", "3<", "<", ">", "3>>", "3<>", "{v}>", "3>&", "<&", "2>"])}${random.pick([...TARGETS, "f", "f", "q", "1"])}`,
  hashed: ({ random }) => `hash ${random.pick(["-r", "-p /usr/bin/rm", "-d", "-t", ""])} ${random.pick(["ls", "tee", ""])}`,
  reference: ({ name, other, random, value: given }) =>
    random.pick([
      `${other}=${given()}; declare -n ${name}=${other}`,
      `${name}=${other}; ${other}=${given()}`,
      `declare -n ${name}=${other}; ${other}=${given()}`,
    ]),
  loop: ({ name, value: given, random }) => `for ${name} in ${given()} ${given()}; do ${random.pick([":", "break", "continue", "cd d", "shift"])}; done`,
  parsed: ({ name, value: given }) => `getopts ab: ${name} -b ${given()}`,
  written: ({ value: given, random }) =>
    `${random.pick(["echo", "printf %s", "cat <<<"])} ${given()} ${random.pick([">", ">>", ">|"])}${random.pick(["f", "q", "d/q"])}`,
};
