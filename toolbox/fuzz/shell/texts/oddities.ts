import { FUNCTIONS, PROGRAMS } from "./vocabulary.ts";
import type { Growth } from "./words.ts";
import { quoted } from "./words.ts";

const SEPARATORS = [",", ":", "", " ", "', '", "$'\\n'", "a", "$x", "' ,'"];
const VALUES = ["rm,-rf,,x", "'a b'", "ls:x", "',a,'", "'ls a'", "rm", "'a , b'", '"$y,a"'];

/** What reaches a program past its name: aliases, hashed paths, callbacks, commands in variables, other separators, sourced texts. */
export function oddity(growth: Growth, depth: number): string {
  const { random } = growth;
  const program = random.pick(PROGRAMS);
  const other = random.pick(PROGRAMS);
  const script = random.once(2) ? `${program} x` : growth.script(depth + 1);
  const name = random.pick(FUNCTIONS);
  switch (random.below(12)) {
    case 0:
      return `alias ${program}=${random.pick([other, "'rm x'", "'rm x;'"])}${random.pick(["; ", "\n"])}${random.pick(["", "eval "])}${program} y`;
    case 1:
      return `hash -p /usr/bin/${other} ${program}${random.pick(["", " ls"])}; ${random.pick(["", "command ", "exec ", "env "])}${program} y`;
    case 2:
      return `mapfile ${random.pick(["", "-t ", "-n 1 "])}-C ${quoted(growth, script)} -c 1 ${random.pick(["a", ""])} <<< ${random.pick(["x", "'a b'", "$'a\\nb'"])}`;
    case 3:
      return `compgen ${random.pick([`-C ${quoted(growth, script)}`, `-W 'a $(${program}) $x'`, `-W ${quoted(growth, script)}`, "-A file", "-f"])} ${random.pick(["x", "", "a"])}`;
    case 4:
      return `${name}() { ${script}\n}; ${random.pick([`compgen -F ${name} x`, `complete -F ${name} ls; ls`, `mapfile -C ${name} -c 1 a <<< x`, `jobs -x ${name} a`])}`;
    case 5:
      return `jobs ${random.pick(["-x ", "-x ", "-r -x ", "-l ", "-xl "])}${random.pick([program, "eval", "echo", "command"])} ${random.pick(["x", "'rm y'", "%1"])}`;
    case 6:
      return `${random.pick(["PAGER", "EDITOR", "GIT_EDITOR", "TERM", "LESS", "PS4"])}=${random.pick([program, "cat", "xterm", "'+ '", "-R"])} ${random.pick([other, "eval ls", ":"])} x`;
    case 7:
    case 8:
      return `x=${random.pick(VALUES)}; IFS=${random.pick(SEPARATORS)}${random.pick(["; ", " ", " eval "])}${random.pick(["$x", "ls $x", 'ls a$x"b"', "for y in $x; do ls $y; done", 'set -- $x; "$@"', 'read z <<< "$x"; ls $z'])}`;
    case 9:
      return `${random.pick(["source", "."])} ${random.pick([`/dev/stdin <<< ${quoted(growth, script)}`, `<(echo ${quoted(growth, script)})`, `/dev/fd/0 a b <<< ${quoted(growth, `${script}; $1 y`)}`])}`;
    case 10:
      return `bash ${random.pick(["", "-e "])}<(echo ${quoted(growth, script)}) ${random.pick(["", "a b", program])}`;
    default:
      return `${random.pick(["ls", "cat", "echo"])} ${random.pick(["a", "x=", "d/", ""])}${random.pick(["<", ">"])}(${script})${random.pick(["", " b"])}`;
  }
}
