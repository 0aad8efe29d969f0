import type { Draw, Feature } from "./steps.ts";
import { FUNCTIONS } from "./vocabulary.ts";
import { singleQuoted } from "./words.ts";

/** A parameter in one of the ways that read it. */
function read({ name, random }: Draw): string {
  return random.pick([`$${name}`, `"$${name}"`, `\${${name}}`, `"\${${name}}"`, `a$${name}`, `"$${name}"/a`, `$${name}$${name}`, "$1", '"$@"', "$*", '"$*"']);
}

const OPERATIONS = [
  ":-b",
  "-b",
  ":+b",
  "+b",
  ":?",
  "#a",
  "##*a",
  "%b",
  "%%b*",
  "#*[a]",
  "/a/b",
  "//a",
  "/#a/b",
  "/%b/c",
  "^",
  "^^",
  ",",
  ",,",
  ":1",
  ":0:1",
  ": -1",
  "@Q",
  "@U",
  "@P",
  ":=b",
  "%\\*",
  '#"*"',
  "-~",
  ":-'a b'",
  ':-"a b"',
  ":-$y",
  "#$y",
];

/** Features through which a later step reads what an earlier one did. */
export const USES: Readonly<Record<string, Feature>> = {
  argument: (draw) => `tee ${read(draw)}`,
  arguments: (draw) => `tee ${read(draw)} ${read(draw)}`,
  program: (draw) => draw.random.pick([`${read(draw)} a`, read(draw), `command ${read(draw)} a`, `env ${read(draw)} a`, `exec ${read(draw)}`]),
  operation: ({ name, random }) =>
    random.pick(["tee ", "tee a", "echo >", "", "x="]) +
    random.pick([(text: string) => text, (text: string) => `"${text}"`])(`\${${name}${random.pick(OPERATIONS)}}`),
  "quoted-operand": ({ name, random }) =>
    random.pick([
      `tee "\${${name}-'}'}"`,
      `tee "\${${name}-'}"; rm a; "'}"`,
      `tee \${${name}:-'}'}`,
      `z="\${${name}:+'}'}"; tee "$z"`,
      `tee "\${${name}-\`echo \\"; rm a; \\"\`}"`,
      `tee "\`echo \\"; rm a; \\"\`"`,
      `cat <<E\n\`echo \\"; rm a; \\"\`\nE\n:`,
      `tee "\${${name}:+"a b"}"`,
      `tee "\${${name}%"}"}"`,
      `tee "\${${name}#'a'}"`,
      `tee \${${name}-"'}'"}`,
      `tee "\${${name}-\\}}"`,
      `tee "\${${name}-{}}"`,
      `: "\${q-"\${${name}-'}"}; rm a; "'}"}"`,
      `cat <<E\n\${${name}-'}'}\nE\n:`,
    ]),
  length: ({ name, random }) => `tee ${random.pick([`\${#${name}}`, "$#", "${#@}", `\${#${name}[@]}`, `a\${#${name}}b`])}`,
  indirect: ({ name, random }) => `tee ${random.pick([`\${!${name}}`, `\${!${name}*}`, `\${!${name}@}`, `\${!${name}[@]}`])}`,
  arithmetic: ({ name, random }) =>
    random.pick([
      `tee $((${name}))`,
      `tee $((${name} + 1))`,
      `tee $(($${name}))`,
      `((${name} > 1)) && tee a`,
      `tee \${z:${name}}`,
      `z=$((${name})); tee $z`,
      `let z=${name}; tee $z`,
    ]),
  case: (draw) =>
    `case ${read(draw)} in ${draw.random.pick(["a)", "*)", "a*|b)", `"$${draw.name}")`, `$${draw.name})`, "[ab])", "(a)"])} ${draw.command()}${draw.random.pick([";;", ";;", ";&"])} *) tee b;; esac`,
  for: (draw) => `for q in ${read(draw)}; do ${draw.random.pick(["tee $q", 'tee "$q"', "$q a", "echo >$q", draw.command()])}; done`,
  "for-parameters": ({ random }) => `for q${random.pick(["", " in", ' in "$@"', " in $*"])}; do tee "$q"; done`,
  "while-read": ({ name, random, command }) =>
    random.pick([
      `while read q; do tee $q; done <<< "$${name}"`,
      `while read -r ${name}; do ${command()}; done <f`,
      `echo "$${name}" | while read q; do tee $q; done`,
      `while IFS=, read q z; do tee $z; done <<E\n$${name}\nE\n:`,
    ]),
  while: ({ name, random, command }) =>
    `${random.pick([`while [ -n "$${name}" ]`, `until [ "$${name}" ]`, `while test $${name}`, "while [ $# -gt 0 ]"])}; do ${command()}; ${random.pick(["shift; ", `${name}=; `, "break; "])}${random.pick(["", "break; "])}done`,
  "here-document": ({ name, random }) =>
    `${random.pick(["cat", "bash", "sh", "tee a", "xargs tee", "while read q; do tee $q; done"])} <<${random.pick(["E", "E", "'E'", "-E", "\\E"])}\n${random.pick([`$${name}`, `\${${name}:-a}`, `$(echo $${name})`, `tee $${name}`, `\`echo $${name}\``, `"$${name}"`])}\nE\n:`,
  "here-string": ({ name, random }) =>
    `${random.pick(["cat", "bash", "sh", "xargs tee", "read q; tee $q;"])} <<< ${random.pick([`$${name}`, `"$${name}"`, `"tee $${name}"`, `a$${name}`])}`,
  substitution: (draw) => {
    const script = draw.random.pick([`echo ${read(draw)}`, draw.command(), "pwd", "echo $#", "cd d; pwd", `echo ${read(draw)} | cat`]);
    return draw.random.pick([`tee $(${script})`, `tee "$(${script})"`, `z=$(${script}); tee $z`]);
  },
  backticks: (draw) => `tee \`echo ${read(draw).replaceAll(/[`\\]/g, "\\$&")}\``,
  "process-substitution": (draw) =>
    draw.random.pick([`cat <(${draw.command()})`, `tee >(cat) ${read(draw)}`, `cat <(echo ${read(draw)})`, `. <(echo ${read(draw)})`]),
  redirection: (draw) =>
    draw.random.pick([
      `echo >${read(draw)}`,
      `cat <${read(draw)}`,
      `echo >>${read(draw)}`,
      `{ ${draw.command()}; } >q`,
      "echo a >&3",
      "cat <&3",
      "id 2>&1 >q",
      `echo >d/$${draw.name}`,
    ]),
  evaluated: (draw) =>
    draw.random.pick([
      `eval ${singleQuoted(draw.command())}`,
      `eval tee ${read(draw)}`,
      `eval "tee \\$${draw.name}"`,
      `eval "$${draw.name} a"`,
      `eval z=${read(draw)}; tee $z`,
    ]),
  "nested-shell": (draw) =>
    `${draw.random.pick(["sh", "bash", "bash -e", "sh -u"])} -c ${draw.random.pick([singleQuoted(draw.command()), `"tee $${draw.name}"`, `'tee "$1" $0' a ${read(draw)}`, `'"$@"' _ ${read(draw)}`])}`,
  pattern: ({ name, random }) => `tee ${random.pick(["*", "a*", "d/*", "[ab]", "?", "nomatch*", `$${name}*`, `"$${name}"*`, "*.c", "./*", "~/*"])}`,
  tilde: ({ random }) => random.pick(["tee ~", "tee ~/a", "tee ~+", "tee ~-", "z=~/a; tee $z", "echo >~/q", "tee x=~/a", "z=a:~; tee $z"]),
  braces: ({ name, random }) => `tee ${random.pick([`{$${name},b}`, `{a,"$${name}"}`, "{1..3}", `$${name}{a,b}`, "{a,}", `{"}",$${name}}`])}`,
  test: (draw) =>
    `${draw.random.pick([`[ ${read(draw)} = a ]`, `[ -n ${read(draw)} ]`, `test -f ${read(draw)}`, `[ "$${draw.name}" -eq 1 ]`, `[[ $${draw.name} == a* ]]`, `[[ -n $${draw.name} ]]`, `[[ $${draw.name} =~ ^a ]]`, `[[ $${draw.name} -gt 0 ]]`])} ${draw.random.pick(["&&", "||"])} ${draw.command()}`,
  call: (draw) => `${draw.random.pick(FUNCTIONS)} ${read(draw)}${draw.random.pick(["", "; tee q", ` ; ${draw.command()}`, " | cat", " >q", " &"])}`,
  pipeline: (draw) =>
    `${draw.random.pick([draw.command(), `echo ${read(draw)}`, "cat f"])} | ${draw.random.pick(["cat", "xargs tee", "bash", `{ ${draw.command()}; }`, "read z; tee $z", "sh", `tee ${read(draw)}`])}`,
  subshell: (draw) => `(${draw.command()}${draw.random.pick(["", "; cd d; >q", `; ${draw.name}=rm`])}); ${draw.command()}`,
  background: (draw) => `${draw.command()} & ${draw.random.pick(["wait; ", ""])}${draw.command()}`,
  directory: (draw) =>
    draw.random.pick([
      `cd ${read(draw)} && >q`,
      `cd "$${draw.name}"; tee q`,
      "cd ..; >q",
      "cd -; >q",
      "popd; >q",
      "cd d; >q",
      ">$PWD/q",
      ">$(pwd)/q",
      ">$OLDPWD/q",
    ]),
  element: ({ name, random }) =>
    `tee ${random.pick([`\${${name}[0]}`, `"\${${name}[@]}"`, `\${${name}[*]}`, `\${${name}[-1]}`, `\${${name}[$${name}]}`, `"\${${name}[@]:1}"`, `\${${name}[a]}`])}`,
  parameters: ({ random }) =>
    random.pick([
      'tee "$@"',
      "tee $*",
      'tee "$*"',
      "tee ${@:2}",
      'tee "${1-a}"',
      "shift; tee $1",
      "tee $1$2",
      "tee ${10} $10",
      'x=$*; tee "$x"',
      'set -- "$@" b; tee $2',
      "tee $#",
    ]),
  ending: ({ command, random }) =>
    random.pick([`false; ${command()}`, `false || ${command()}`, `exit; ${command()}`, `return; ${command()}`, `! ${command()}; >q`, `true && ${command()}`]),
  special: ({ random }) =>
    `tee ${random.pick(["$_", "$?", "$-", "$$", "$REPLY", "$OPTARG", "$OPTIND", "$RANDOM", "$LINENO", "$IFS", "$PIPESTATUS", "$FUNCNAME", "$UID", "$HOME", "$PWD"])}`,
  repeated: (draw) =>
    `for q in 1 2; do ${draw.command()}; ${draw.random.pick([`${draw.name}=rm`, "cd d", "shift", "set -- a b", `${draw.name}=$${draw.name}a`])}; done`,
};
