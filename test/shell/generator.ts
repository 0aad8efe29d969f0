/** Random numbers from a seed, the same on every machine (mulberry32). */
function createRandom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * below);
  };
}

const NAMES = ["x", "y", "a", "i", "f", "z", "w", "q"];
const PLAIN = ["ls", "rm", "id", "x", "a", "b", "-c", "1", "x=1", "a/b", "--", "\\$x", "\\'", "\\ ", "a.b", "~/x", "*", "[ab]"];
const ODD = [
  "=",
  "a[0]",
  "[",
  "]",
  "#",
  "%",
  "!",
  "-",
  "{",
  "}",
  ",",
  "..",
  ":",
  "+",
  "@",
  "do",
  "if",
  "time",
  "\\`",
  '\\"',
  "\\\\",
  "1>(id)",
  "$",
  "~",
  "{a,b}",
  "{1..3}",
];
const QUOTED = ["'x'", "'$(id)'", "'`id`'", "'a b'", "''", "$'x'", "$'\\x72m'", "$'\\''", "$'$(id)'", '"$\'"', "\"'$(id)'\"", '"\\$(id)"', '"a b"', '""'];
const PROGRAMS = ["id", "whoami", "rm", "ls", "cat", "touch", "echo", ":", "true"];
const WRAPPERS = ["command", "builtin", "exec", "env", "nice", "timeout 1", "nohup", "xargs", "command -v", "exec -a z"];
const BUILTINS = [
  "read x",
  "read -a a",
  "printf -v x %s",
  "printf",
  "unset",
  "let",
  "test",
  "[",
  "set --",
  "shift",
  "cd",
  "pushd",
  "mapfile a",
  "wait",
  "test -v",
  "export",
  "declare",
  "declare -i",
  "declare -a",
  "local",
  "readonly",
  "exit",
  "return",
  "break",
  "set -e",
  "f",
];
const TARGETS = ["f", "g", "/dev/null", "h/x"];

/**
 * Shell texts that are mostly valid and often awkward: quotes, expansions and redirections inside each
 * other, in the places where parsers and bash were found to disagree.
 */
export function createGenerator(seed: number): () => string {
  const below = createRandom(seed);
  const pick = (items: readonly string[]): string => items[below(items.length)] ?? "";
  const chance = (share: number): boolean => below(share) === 0;
  let budget = 0;
  let documents = "";
  const isSpent = (depth: number): boolean => {
    budget -= 1;
    return depth > 4 || budget < 0;
  };
  const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

  function substitution(depth: number): string {
    if (isSpent(depth)) return "$(id)";
    const inner = script(depth + 1);
    const prefix = chance(3) ? `${pick(["<f", ">f", "</dev/null", "2>&1"])} ` : "";
    return pick([`$(${prefix}${inner})`, `$(${inner})`, `\`${inner.replaceAll(/[`\\]/g, "\\$&")}\``, `<(${inner})`, `>(${inner})`]);
  }

  function arithmetic(depth: number): string {
    if (isSpent(depth)) return "1";
    const one = arithmetic(depth + 1);
    return pick(["1", "i", "i+1", "$i", "x++", "y=2", `${one}+${one}`, `(${one})`, `${one}?1:0`, `a[${subscript(depth + 1)}]`, word(depth + 1)]);
  }

  function subscript(depth: number): string {
    return pick(["@", "*", "0", "i", "x", "'$(id)'", '"`id`"', isSpent(depth) ? "1" : word(depth + 1)]);
  }

  function parameter(depth: number): string {
    const name = pick([...NAMES, "1", "@", "*", "#", "?", "HOME", "PWD"]);
    if (isSpent(depth)) return `$${name}`;
    const operand = word(depth + 1);
    const operator = pick([":-", "-", ":=", ":+", "+", "#", "##", "%", "%%", "/", "^", ",,"]);
    return pick([
      `$${name}`,
      `\${${name}}`,
      `\${${name}${operator}${operand}}`,
      `\${${name}:${arithmetic(depth + 1)}}`,
      `\${a[${subscript(depth + 1)}]}`,
      `\${#${name}}`,
      "${x@P}",
      "${!x}",
    ]);
  }

  function doubleQuoted(depth: number): string {
    let text = "";
    for (let count = below(4); count > 0; count -= 1)
      text += pick([
        "a",
        " ",
        "'",
        "\\$",
        "\\\\",
        "$'",
        "~",
        "*",
        "`id`",
        parameter(depth + 1),
        parameter(depth + 1),
        isSpent(depth) ? "" : `$(${script(depth + 1)})`,
      ]);
    return `"${text}"`;
  }

  function piece(depth: number): string {
    if (isSpent(depth)) return pick(PLAIN);
    const kind = below(14);
    if (kind < 5) return pick(PLAIN);
    if (kind < 6) return pick(ODD);
    if (kind < 8) return pick(QUOTED);
    if (kind < 9) return doubleQuoted(depth);
    if (kind < 11) return parameter(depth);
    if (kind < 12) return substitution(depth);
    return kind < 13 ? `$((${arithmetic(depth)}))` : `{${word(depth + 1)},${word(depth + 1)}}`;
  }

  function word(depth: number): string {
    let text = piece(depth);
    while (chance(3)) text += piece(depth);
    return text;
  }

  function redirection(depth: number): string {
    const target = chance(3) ? word(depth + 1) : pick(TARGETS);
    return pick([
      `>${target}`,
      `>> ${target}`,
      `< ${target}`,
      `2>${target}`,
      `&>${target}`,
      `>&${target}`,
      "2>&1",
      ">&2",
      ">&'$(id)'",
      `<<< ${word(depth + 1)}`,
      `{v}>${target}`,
    ]);
  }

  function hereDocument(depth: number): string {
    const body = doubleQuoted(depth + 1)
      .slice(1, -1)
      .replaceAll("\n", " ");
    documents += `${body}\nE\n`;
    return `<<${pick(["E", "'E'", '"E"', "\\E"])}`;
  }

  function assignment(depth: number): string {
    const name = pick(NAMES);
    return pick([
      `${name}=${word(depth + 1)}`,
      `${name}=${pick(PROGRAMS)}`,
      `${name}='ls -l'`,
      `${name}=1`,
      `${name}+=x`,
      `${name}=(${word(depth + 1)})`,
      `a[${subscript(depth + 1)}]=1`,
    ]);
  }

  function simple(depth: number): string {
    const parts: string[] = [];
    if (chance(6)) parts.push(assignment(depth));
    if (chance(8)) parts.push(redirection(depth));
    const kind = below(24);
    if (kind < 12) parts.push(pick(PROGRAMS));
    else if (kind < 14) parts.push(word(depth));
    else if (kind < 15) parts.push(pick(["$x", "$y", '"$x"']));
    else if (kind < 16) return assignment(depth);
    else if (kind < 18) parts.push(pick(WRAPPERS), pick(PROGRAMS));
    else if (kind < 19) parts.push(pick(["eval", "bash -c", "sh -c", "bash -ec"]), quote(script(depth + 1)));
    else if (kind < 20) parts.push("trap", quote(script(depth + 1)), pick(["EXIT", "DEBUG"]));
    else if (kind < 21) return pick([`[[ ${word(depth)} ${pick(["==", "=~", "-eq", "<"])} ${word(depth)} ]]`, `((${arithmetic(depth)}))`]);
    else parts.push(pick(BUILTINS));
    for (let count = below(4); count > 0; count -= 1) parts.push(word(depth));
    if (chance(4)) parts.push(redirection(depth));
    if (chance(12) && depth < 2) parts.push(hereDocument(depth));
    return parts.join(" ");
  }

  function script(depth: number): string {
    if (isSpent(depth)) return pick(["id", "rm x", "ls"]);
    const kind = below(26);
    if (kind < 12) return simple(depth);
    const one = script(depth + 1);
    if (kind < 16) return `${one}${pick(["; ", " && ", " || ", " | ", " & ", "\n", "|& "])}${script(depth + 1)}`;
    const end = pick(["; ", "\n"]);
    return pick([
      `(${one})`,
      `{ ${one}${end}}`,
      `{ ${one}${end}} ${redirection(depth)}`,
      `if ${one}${end}then ${script(depth + 1)}${end}fi`,
      `for ${pick(NAMES)} in ${word(depth + 1)} ls${end}do ${one}${end}done`,
      `while ${pick(["false", "read x"])}${end}do ${one}${end}done`,
      `case ${word(depth + 1)} in ${word(depth + 1)}) ${one};; *) ${script(depth + 1)} ;; esac`,
      `${pick(["f", "g", "ls"])}() { ${one}${end}}`,
      `! ${one}`,
      `time ${one}`,
      `for ((${arithmetic(depth + 1)};0;1))${end}do ${one}${end}done`,
      `${one} # ${pick(["don't", "x"])}\n${script(depth + 1)}`,
    ]);
  }

  return () => {
    budget = 24;
    documents = "";
    const text = script(0);
    return documents === "" ? text : `${text}\n${documents}`;
  };
}
