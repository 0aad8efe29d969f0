import { placed, rebound } from "./bindings.ts";
import { combination } from "./combinations.ts";
import { documents, fed, printed } from "./inputs.ts";
import { oddity } from "./oddities.ts";
import { parameters } from "./parameters.ts";
import { FUNCTIONS, PROGRAMS, TARGETS, VARIABLES } from "./vocabulary.ts";
import type { Growth } from "./words.ts";
import { quoted, word } from "./words.ts";

/** A third of the idioms combines one feature with another. */
const COMBINED = [combination, combination, combination, combination, combination, combination];

/**
 * Texts of several lines that do with values, directories and input what people do: they hold what an analysis may follow, so
 * each ends where a wrong step shows.
 */
export function idiom(growth: Growth, depth: number): string {
  return growth.random.pick([values, values, positions, parameters, oddity, oddity, directories, printed, fed, rebound, documents, ...COMBINED])(growth, depth);
}

/** Steps over one or two variables, in branches, loops, subshells and functions, and what is left of them. */
function values(growth: Growth, depth: number): string {
  const { random } = growth;
  const [one, other] = [random.pick(VARIABLES), random.pick(VARIABLES)];
  const value = (): string =>
    random.pick([...PROGRAMS, "a", "'a b'", `"$${other}"`, `$${other}`, `"\${${other}%a}"`, "", "1", "~/a", "'*'", word(growth, depth + 1)]);
  const set = (): string =>
    random.pick([
      `${one}=${value()}`,
      `${one}=${value()}`,
      `${one}+=${value()}`,
      `${other}=${value()}`,
      `export ${one}=${value()}`,
      `declare ${one}=${value()}`,
      `local ${one}=${value()}`,
      `readonly ${one}=${value()}`,
      `read ${one} <<< ${value()}`,
      `read -r ${one} ${other} <<< ${value()}`,
      `printf -v ${one} ${value()}`,
      `printf -v ${one} %s ${value()}`,
      `unset ${one}`,
      `: \${${one}:=${value()}}`,
      `: \${${one}=${value()}}`,
      `let ${one}=1`,
      `((${one}++))`,
      `${one}=(${value()} ${value()})`,
      `${one}[0]=${value()}`,
      `declare -n ${one}=${other}`,
      `declare -g ${one}=${value()}`,
      `mapfile -t ${one} <<< ${value()}`,
      `getopts ab ${one}`,
      `eval ${one}=${value()}`,
      `exec {${one}}>f`,
      `for ${one} in ${value()} ${value()}; do :; done`,
      `select ${one} in a; do break; done`,
      `${one}=${value()} :`,
      `${one}=${value()} eval :`,
      `${one}=${value()} f`,
      `set -- ${value()}`,
      `IFS= read -r ${one}`,
    ]);
  const steps: string[] = [`${one}=${value()}`];
  for (let count = random.below(4); count > 0; count -= 1) steps.push(placed(growth, set()));
  steps.push(used(growth, one));
  if (random.once(4)) steps.push(placed(growth, set()), used(growth, other));
  return steps.join(random.pick(["; ", "\n", "; "]));
}

/** Where a value shows: as a program, an argument, a target, a script. */
function used(growth: Growth, name: string): string {
  const { random } = growth;
  return random.pick([
    `$${name}`,
    `"$${name}" a`,
    `tee $${name}`,
    `tee "$${name}"`,
    `tee "$${name}"/a x$${name}`,
    `echo >$${name}`,
    `tee "\${${name}#a}" \${${name}:-b}`,
    `tee "\${${name}[@]}"`,
    `"\${${name}[@]}"`,
    `bash -c "$${name}"`,
    `bash -c 'tee $${name}'`,
    `eval $${name}`,
    `eval "$${name} a"`,
    `f() { tee "$${name}"; }; f`,
    `(tee "$${name}")`,
    `for q in $${name}; do tee $q; done`,
    `tee $(echo $${name})`,
    `env "$${name}"`,
    `xargs $${name}`,
    `[[ -n $${name} ]] && tee "$${name}"`,
    `((${name}))`,
    `cd "$${name}" && ls`,
    `tee {$${name},b}`,
    `tee "\${${name}@Q}"`,
    `tee \${${name}^^}`,
    `cat <<E\n$${name}\nE`,
    `bash <<< "$${name}"`,
    `echo "$${name}" | bash`,
    `echo "$${name}" | xargs tee`,
  ]);
}

/** Positional parameters: of the text itself, of functions, of nested shells. */
function positions(growth: Growth, depth: number): string {
  const { random } = growth;
  const use = (): string =>
    random.pick([
      "$1",
      '"$@"',
      "$@",
      '"$*"',
      "$0",
      '"$1" "$2"',
      "tee $1",
      'tee "$@"',
      'tee "${@:2}"',
      'tee "${1:-b}"',
      'tee "${1-b}"',
      "tee $#",
      "tee ${!#}",
      "tee ${10} $10",
      'for q; do tee "$q"; done',
      'for q in "$@"; do $q; done',
      'while [ $# -gt 0 ]; do tee "$1"; shift; done',
      'case "$1" in a) id;; *) "$1";; esac',
      "shift; $1",
      'shift 2; tee "$@"',
      'shift $x; tee "$1"',
      'set -- id "$@"; "$@"',
      'set -- "$2"; tee "$1"',
      'set --; tee "$@" a',
      "set - a; tee $1",
      "set -e a; tee $1",
      "set -- $1; tee $2",
      'echo "$1" >$2',
      'exec "$@"',
      'g() { "$@"; }; g "$@"',
      'f "$2"',
      "eval $1",
      'eval "$*"',
      'bash -c "$1"',
      `bash -c '$1' z id`,
      'local q=$1; tee "$q"',
      "x=$1; $x",
      'x=("$@"); tee "${x[@]}"',
      'tee "${@}" | cat',
      '(shift; tee "$@")',
      'ls && shift; tee "$1"',
      "getopts ab q; tee $OPTARG",
      "trap 'tee $1' EXIT",
      'tee "$_"',
      "read 1; tee $1",
    ]);
  const uses = (): string => (random.once(3) ? `${use()}; ${use()}` : use());
  const given = (): string =>
    random.pick(["", "rm", "rm a", "rm 'a b'", "a b c", "-- rm", "$x", '"$x"', "*", "{id,a}", '"$@"', "-x", "'' rm", "~/a", word(growth, depth + 1)]);
  const name = random.pick(FUNCTIONS);
  return random.pick([
    () => `set -- ${given()}; ${uses()}`,
    () => `set -- ${given()}; ${placed(growth, `set -- ${given()}`)}; ${uses()}`,
    () => `set -- ${given()}; ${placed(growth, "shift")}; ${uses()}`,
    () => `${name}() { ${uses()}; }; ${name} ${given()}`,
    () => `${name}() { ${uses()}; }; ${name} ${given()}; ${placed(growth, `${name} ${given()}`)}`,
    () => `set -- ${given()}; ${name}() { ${uses()}; }; ${name} ${given()}; ${uses()}`,
    () => `${name}() { ${random.pick(["g", 'g "$@"', "g $1", 'shift; g "$@"'])}; }; g() { ${uses()}; }; ${name} ${given()}`,
    () => `${random.pick(["bash", "sh"])} -c ${quoted(growth, uses())} ${given()}`,
    () => `${random.pick(["bash -s", "bash -s --", "sh -s"])} ${given()} <<'F'\n${uses()}\nF\n`,
    uses,
    () => `${name}() (${uses()}); ${name} ${given()} ${random.pick(["| cat", "&", "&& id", ">f", "<f"])}`,
    () => `x=${name}; ${name}() { ${uses()}; }; $x ${given()}`,
    () => `${name}() { ${uses()}; }; ${random.pick(["eval", "command", "builtin", "exec", "env", "time", "!", "trap", "xargs", "coproc"])} ${name} ${given()}`,
  ])();
}

/** Changes of the directory, and where something happens then. */
function directories(growth: Growth, depth: number): string {
  const { random } = growth;
  const move = (): string =>
    random.pick([
      "cd d",
      "cd d",
      "cd ..",
      "cd",
      "cd -",
      "cd /tmp",
      "cd ./d/../d",
      "cd ~",
      'cd "$x"',
      "pushd d",
      "popd",
      "cd d/",
      "cd -P d",
      "cd -- d",
      "cd d x",
      "cd ''",
      "cd . ",
      "cd /",
      "cd //srv",
      "CDPATH=/srv cd d",
      "cd $(echo d)",
      "cd ~+/d",
      "command cd d",
      "builtin cd d",
      "exec cd d",
    ]);
  const steps: string[] = [];
  for (let count = 1 + random.below(3); count > 0; count -= 1) steps.push(placed(growth, move()));
  steps.push(
    random.pick([
      "ls",
      "touch a",
      "echo >a",
      "tee ../a",
      "tee $PWD/a",
      "tee ~+/a",
      "tee ~-",
      "env -C d ls",
      "find . -execdir id \\;",
      "bash -c 'cd ..; ls'",
      `echo >${random.pick(TARGETS)}`,
      word(growth, depth + 1),
    ]),
  );
  return steps.join(random.pick(["; ", "\n", " && ", "; "]));
}
