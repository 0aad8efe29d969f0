import { idiom } from "./idioms.ts";
import type { Random } from "../../../shared/random.ts";
import { BUILTINS, FIND, FUNCTIONS, PLAIN, PROGRAMS, SIGNALS, TARGETS, VARIABLES, WRAPPERS } from "./vocabulary.ts";
import type { Growth } from "./words.ts";
import { arithmetic, doubleQuoted, expansion, isSpent, isWild, programName, quoted, subscript, word } from "./words.ts";

/** One text of bash's grammar: mostly valid, as awkward as its own wildness. */
export function generateText(random: Random, note?: (feature: string) => void): string {
  const growth: Growth = {
    ...(note === undefined ? {} : { note }),
    random,
    wildness: random.pick([0, 0, 1, 1, 2, 4, 7]),
    budget: random.pick([6, 12, 24, 40]),
    documents: "",
    script: (depth) => script(growth, depth),
  };
  const text = beginning(growth);
  return growth.documents === "" ? text : `${text}\n${growth.documents}`;
}

function script(growth: Growth, depth: number): string {
  const { random } = growth;
  if (isSpent(growth, depth)) return random.pick(["id", "rm x", "ls", ":"]);
  const kind = random.below(20);
  if (kind < 10) return simple(growth, depth);
  if (kind < 15) return list(growth, depth);
  return compound(growth, depth);
}

/** How a text begins: as any script, or as one that follows what people do. */
function beginning(growth: Growth): string {
  const { random } = growth;
  if (!random.once(3)) return script(growth, 0);
  const text = idiom(growth, 2);
  if (random.once(6)) return `${random.pick(["bash", "sh"])} -c ${quoted(growth, text)}`;
  return random.once(4) ? `${text}\n${script(growth, 2)}` : text;
}

function list(growth: Growth, depth: number): string {
  const { random } = growth;
  const one = script(growth, depth + 1);
  const operator = random.pick(["; ", " && ", " || ", " | ", "\n", ";", "&&", "|", " & ", " |& ", " |\n", " &&\n\n", " # c\n"]);
  const joint = operator.endsWith("\n") && growth.documents !== "" && operator !== " |\n" ? `${operator}${flush(growth)}` : operator;
  return `${one}${joint}${script(growth, depth + 1)}`;
}

/** The bodies of the here-documents of the line that just ended. */
function flush(growth: Growth): string {
  const { documents } = growth;
  growth.documents = "";
  return documents;
}

function compound(growth: Growth, depth: number): string {
  const { random } = growth;
  const end = random.pick(["; ", "\n", " ;"]);
  const body = (): string => `${script(growth, depth + 1)}${end === "\n" ? `\n${flush(growth)}` : end}`;
  const close = random.once(5) ? ` ${redirection(growth, depth)}` : "";
  switch (random.below(15)) {
    case 0:
      return `(${script(growth, depth + 1)})${close}`;
    case 1:
      return `{ ${body()}}${close}`;
    case 2:
      return `if ${body()}then ${body()}${random.once(2) ? `else ${body()}` : random.once(3) ? `elif ${body()}then ${body()}` : ""}fi${close}`;
    case 3:
      return `for ${random.pick(VARIABLES)} in ${words(growth, depth)}${end}do ${body()}done${close}`;
    case 4:
      return `${random.pick(["while false", "while read x", "while read -r x", "while ! :", "until :", "until [ -n a ]", "until read x <<< a", "while [ $i -lt 2 ]"])}${end}do ${body()}${random.once(3) ? "" : "break; "}done${close}`;
    case 5:
      return caseClause(growth, depth) + close;
    case 6:
      return definition(growth, depth, body);
    case 7:
      return `${random.pick(["! ", "time ", "time -p ", "! ! "])}${script(growth, depth + 1)}`;
    case 8:
      return random.pick([
        `[[ ${condition(growth, depth)} ]]`,
        `((${arithmetic(growth, depth)}))`,
        `for ((i=0;i<2;i++))${end}do ${body()}done`,
        `select x in a b${end}do ${body()}break${end}done </dev/null`,
        `coproc ${random.pick(["", "N "])}{ ${body()}}`,
      ]);
    case 9:
      return `trap ${quoted(growth, script(growth, depth + 1))} ${random.pick(SIGNALS)}${random.once(2) ? `; ${script(growth, depth + 1)}` : ""}`;
    case 10:
      return `eval ${quoted(growth, script(growth, depth + 1))}`;
    case 11:
      return `${random.pick(["bash", "sh", "bash -e", "bash --norc", "sh -x", "env bash", "bash -o pipefail"])} -c ${quoted(growth, script(growth, depth + 1))}${random.once(3) ? ` ${words(growth, depth)}` : ""}`;
    case 12:
      return fedShell(growth, depth);
    case 13:
      return `find ${random.pick([".", "d", "*", "a b", ""])} ${random.pick(FIND)} ${random.pick(FIND)}`;
    default:
      return `${simple(growth, depth)} | ${random.pick(["while read x; do ", "xargs ", "bash -c "])}${random.pick(["echo $x; done", "rm", "id", "rm $x; done"])}`;
  }
}

/** A shell, or something that holds one, which reads its commands from its input. */
function fedShell(growth: Growth, depth: number): string {
  const { random } = growth;
  const outer = growth.documents;
  growth.documents = "";
  const lines: string[] = [];
  for (let count = 1 + random.below(3); count > 0; count -= 1) lines.push(`${script(growth, depth + 1)}\n${flush(growth)}`);
  if (random.once(2))
    lines.splice(
      random.below(lines.length + 1),
      0,
      random.pick(["read z\n", "exec < f\n", "mapfile -n 1 z\n", "cat\n", "bash\n", "read z; $z\n", "select v in a; do break; done\n"]),
    );
  const text = lines.join("");
  growth.documents = outer;
  const shell = random.pick(["bash", "sh", "bash -s", "env bash", "eval 'read z; bash'", "{ read z; bash; }", "timeout 5 bash -e"]);
  if (random.once(3)) return `echo ${quoted(growth, text)} | ${shell}`;
  if (random.once(3)) return `${shell} <<< ${quoted(growth, text)}`;
  growth.documents += `${text}F\n`;
  return `${shell} <<'F'`;
}

function definition(growth: Growth, depth: number, body: () => string): string {
  const { random } = growth;
  const name = isWild(growth) ? random.pick([...FUNCTIONS, ...PROGRAMS, "echo", "a-b"]) : random.pick(FUNCTIONS);
  const head = random.pick([`${name}() `, `function ${name} `, `function ${name}() `, `${name} ()\n`]);
  const inner = random.pick([`{ ${body()}}`, `(${script(growth, depth + 1)})`, `if ${body()}then ${body()}fi`]);
  return `${head}${inner}${random.pick(["; ", "\n"])}${random.once(4) ? script(growth, depth + 1) : `${name} ${words(growth, depth)}`}`;
}

function caseClause(growth: Growth, depth: number): string {
  const { random } = growth;
  let items = "";
  for (let count = 1 + random.below(2); count > 0; count -= 1) {
    const pattern = random.pick(["a", "*", "a|b", "[ab]*", '"$x"', "x*", word(growth, depth + 1)]);
    items += ` ${random.once(2) ? "(" : ""}${pattern}) ${script(growth, depth + 1)}${random.pick([" ;;", ";;", " ;&", " ;;&", "\n;;"])}`;
  }
  return `case ${word(growth, depth + 1)} in${items} esac`;
}

function condition(growth: Growth, depth: number): string {
  const { random } = growth;
  const one = word(growth, depth + 1);
  const wild = isWild(growth)
    ? [
        `$i -eq ${arithmetic(growth, depth + 1)}`,
        `-v ${word(growth, depth + 1)}`,
        `${one} =~ ${word(growth, depth + 1)}`,
        `${one} == ${word(growth, depth + 1)}`,
      ]
    : [`-n ${one}`];
  return random.pick([
    `-f ${one}`,
    `-z "$x"`,
    `${one} == a*`,
    `${one} != "b"`,
    `$x =~ ^a.*$`,
    `! -d d`,
    `a < b`,
    `( -e a && -r b )`,
    `-n $x || ${one} = b`,
    ...wild,
  ]);
}

function words(growth: Growth, depth: number): string {
  const parts: string[] = [];
  for (let count = growth.random.below(4); count > 0; count -= 1) parts.push(word(growth, depth + 1));
  return parts.join(" ");
}

function redirection(growth: Growth, depth: number): string {
  const { random } = growth;
  const target = random.once(4) ? word(growth, depth + 1) : random.pick(TARGETS);
  if (random.once(8)) return hereDocument(growth, depth);
  const wild = isWild(growth)
    ? [`>&${target}`, `>& ${target}`, `<&${target}`, "3>&1-", `{v}>${target}`, `{v}>&1`, `1<>${target}`, `&>>${target}`, `<<<${word(growth, depth + 1)}`]
    : ["2>&1"];
  return random.pick([
    `>${target}`,
    `> ${target}`,
    `>>${target}`,
    `<${target}`,
    `2>${target}`,
    `&>${target}`,
    `>|${target}`,
    "2>&1",
    ">&2",
    "<&-",
    "2>/dev/null",
    `<<< ${random.pick(PLAIN)}`,
    ...wild,
  ]);
}

function hereDocument(growth: Growth, depth: number): string {
  const { random } = growth;
  const delimiter = random.pick(["E", "E", "'E'", '"E"', "\\E", "E'F'"]);
  const isIndented = random.once(4);
  const lines: string[] = [];
  for (let count = random.below(3); count > 0; count -= 1)
    lines.push(
      `${isIndented ? "\t" : ""}${doubleQuoted(growth, depth + 1)
        .slice(1, -1)
        .replaceAll("\n", " ")}`,
    );
  const end = delimiter === "E'F'" ? "EF" : "E";
  growth.documents += [...lines, isIndented ? `\t${end}` : end, ""].join("\n");
  return `<<${isIndented ? "-" : ""}${delimiter}`;
}

function assignment(growth: Growth, depth: number): string {
  const { random } = growth;
  const name = random.pick(VARIABLES);
  const wild = isWild(growth)
    ? [`a[${subscript(growth, depth + 1)}]=${word(growth, depth + 1)}`, `${name}=([0]=a [1]=$x)`, `a+=(${words(growth, depth)})`, "PATH=.", "IFS=,", "i=x"]
    : ["i=1"];
  return random.pick([
    `${name}=${word(growth, depth + 1)}`,
    `${name}=${random.pick(PROGRAMS)}`,
    `${name}='ls -l'`,
    `i=${random.pick(["0", "1", "$((i+1))"])}`,
    `${name}=`,
    `${name}+=a`,
    `a=(${words(growth, depth)})`,
    `${name}=$(id)`,
    `${name}="\${${name}}"`,
    ...wild,
  ]);
}

function simple(growth: Growth, depth: number): string {
  const { random } = growth;
  const parts: string[] = [];
  if (random.once(7)) parts.push(assignment(growth, depth));
  if (random.once(10)) parts.push(redirection(growth, depth));
  const kind = random.below(40);
  if (kind < 16) parts.push(programName(growth));
  else if (kind < 21) parts.push(random.pick(WRAPPERS), programName(growth));
  else if (kind < 22) parts.push(random.pick(WRAPPERS), random.pick(WRAPPERS), programName(growth));
  else if (kind < 25) return assignment(growth, depth);
  else if (kind < 26) return `${assignment(growth, depth)}; ${random.pick(["$", '"$'])}${random.pick(VARIABLES)}`.replace(/"\$(\w)$/, '"$$$1"');
  else if (kind < 28) parts.push(isWild(growth) ? word(growth, depth) : programName(growth));
  else if (kind < 29) parts.push(isWild(growth) ? expansion(growth, depth) : programName(growth));
  else if (kind < 31) parts.push(random.pick(FUNCTIONS));
  else parts.push(random.pick(BUILTINS));
  const operands = words(growth, depth);
  if (operands !== "") parts.push(operands);
  while (random.once(5)) parts.push(redirection(growth, depth));
  return parts.join(random.once(12) ? "  " : " ");
}
