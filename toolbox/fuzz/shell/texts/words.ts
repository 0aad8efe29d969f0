import type { Random } from "../../../shared/random.ts";
import { BRACES, OPERATORS, PATTERNS, PLAIN, PROGRAMS, QUOTED, RESERVED, SPECIAL, TILDES, TRANSFORMS, VARIABLES } from "./vocabulary.ts";

/** What the parts of one text share. */
export type Growth = {
  readonly random: Random;
  /** How often awkward things come, from 0 to 9. */
  readonly wildness: number;
  /** Parts that may still be added; it keeps texts short. */
  budget: number;
  /** Bodies of here-documents that the next line feed must be followed by. */
  documents: string;
  /** Grows a script below a word. */
  readonly script: (depth: number) => string;
  /** Hears of each feature that is combined with another. */
  readonly note?: (feature: string) => void;
};

const DEEPEST = 5;

/** Takes one part from the budget; true when nothing may grow below it any more. */
export function isSpent(growth: Growth, depth: number): boolean {
  growth.budget -= 1;
  return depth >= DEEPEST || growth.budget < 0;
}

export function isWild(growth: Growth): boolean {
  return growth.random.below(10) < growth.wildness;
}

/** A word of one or several parts. */
export function word(growth: Growth, depth: number): string {
  const { random } = growth;
  let text = piece(growth, depth);
  while (random.once(isWild(growth) ? 2 : 6)) text += piece(growth, depth);
  return text;
}

function piece(growth: Growth, depth: number): string {
  const { random } = growth;
  if (isSpent(growth, depth)) return random.pick(PLAIN);
  const kind = random.below(20);
  if (kind < 7) return random.pick(PLAIN);
  if (kind < 10) return random.pick(QUOTED);
  if (kind < 11) return doubleQuoted(growth, depth);
  if (kind < 14) return expansion(growth, depth);
  if (kind < 15) return substitution(growth, depth);
  if (kind < 16) return random.pick(PATTERNS);
  if (kind < 17) return random.pick(BRACES);
  if (kind < 18) return random.pick(TILDES);
  if (!isWild(growth)) return random.pick(PLAIN);
  return kind < 19
    ? `${random.pick(["$((", "$(( "])}${arithmetic(growth, depth)}))`
    : random.pick([...RESERVED, `$[${arithmetic(growth, depth)}]`, "$", "`", "é", "\\\n"]);
}

/** The inside of a command substitution may begin in ways that bash writes back to itself in another order. */
export function substitution(growth: Growth, depth: number): string {
  const { random } = growth;
  if (isSpent(growth, depth)) return random.pick(["$(id)", "`id`", "<(id)"]);
  const outer = growth.documents;
  growth.documents = "";
  const grown = growth.script(depth + 1);
  const inner = growth.documents === "" ? grown : `${grown}\n${growth.documents}`;
  growth.documents = outer;
  const start = isWild(growth) ? random.pick([" ", "\n", "# c\n", "<f ", "2>&1 ", "</dev/null ! ", "! ", "time ", "(", ""]) : "";
  if (random.once(4)) return `\`${inner.replaceAll(/[`\\]/g, "\\$&")}\``;
  if (random.once(6)) return `${random.pick(["<", ">"])}(${inner})`;
  return `$(${start}${inner}${isWild(growth) ? random.pick([" ", "\n", "", ";", " # c\n"]) : ""})`;
}

export function doubleQuoted(growth: Growth, depth: number): string {
  const { random } = growth;
  let text = "";
  for (let count = random.below(4); count > 0; count -= 1) text += quotedPart(growth, depth + 1);
  return `"${text}"`;
}

function quotedPart(growth: Growth, depth: number): string {
  const { random } = growth;
  const kind = random.below(10);
  if (kind < 4) return random.pick(["a", " ", "'", "*", "~", "{a,b}", "\\$", "\\\\", "\\a", "$'", "\n", "!", "#", "\\`", '\\"']);
  if (kind < 8) return expansion(growth, depth);
  return isSpent(growth, depth) ? "a" : substitution(growth, depth);
}

/** `$x`, `${…}` with every operation. */
export function expansion(growth: Growth, depth: number): string {
  const { random } = growth;
  const name = random.once(4) ? random.pick(SPECIAL) : random.pick(VARIABLES);
  if (isSpent(growth, depth) || random.once(3)) return random.once(3) ? `\${${name}}` : `$${name}`;
  if (random.once(5)) return random.pick(TRANSFORMS);
  if (random.once(6)) return `\${${name}:${arithmetic(growth, depth + 1)}${random.once(2) ? `:${arithmetic(growth, depth + 1)}` : ""}}`;
  if (random.once(8)) return `\${${random.pick(["a", "x"])}[${subscript(growth, depth + 1)}]}`;
  const operator = random.pick(OPERATORS);
  const operand = random.once(3) ? random.pick(PLAIN) : word(growth, depth + 1);
  return `\${${name}${operator}${operand}${operator.startsWith("/") ? `/${random.once(2) ? random.pick(PLAIN) : word(growth, depth + 1)}` : ""}}`;
}

export function subscript(growth: Growth, depth: number): string {
  const { random } = growth;
  if (!isWild(growth)) return random.pick(["0", "1", "@", "*", "i", "$i"]);
  return random.pick(["@", "*", "0", "i", "$i", "x", "'$(id)'", '"`id`"', "-1", "i+1", isSpent(growth, depth) ? "1" : word(growth, depth + 1)]);
}

export function arithmetic(growth: Growth, depth: number): string {
  const { random } = growth;
  if (isSpent(growth, depth)) return random.pick(["1", "i", "$i"]);
  const one = random.pick(["1", "2", "i", "$i", "${i}", "08", "0x1f", "16#f", "i"]);
  if (random.once(2)) return one;
  const rest = arithmetic(growth, depth + 1);
  const wild = isWild(growth) ? [`a[${subscript(growth, depth + 1)}]`, word(growth, depth + 1), "x", "'1'", '"i"', "$(id)", "${x:-1}", "i=x", "x++"] : ["1"];
  return random.pick([
    `${one}+${rest}`,
    `${one} * ${rest}`,
    `(${rest})`,
    `${one}<${rest}`,
    `${one}>>${rest}`,
    `${one}?${rest}:0`,
    `i=${rest}`,
    "i++",
    "--i",
    `i+=${rest}`,
    `!${rest}`,
    `${one},${rest}`,
    random.pick(wild),
  ]);
}

/** A text in single quotes, as a shell reads it back. */
export function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A text quoted in one of the ways that keep it. */
export function quoted(growth: Growth, text: string): string {
  if (!growth.random.once(3)) return singleQuoted(text);
  if (!/[!\n]/.test(text)) return `"${text.replaceAll(/["$`\\]/g, "\\$&")}"`;
  return /[^\u0020-\u007e\n]/.test(text) ? singleQuoted(text) : `$'${text.replaceAll(/['\\]/g, "\\$&").replaceAll("\n", "\\n")}'`;
}

/** The name of a program, sometimes written in another way. */
export function programName(growth: Growth): string {
  const { random } = growth;
  const name = random.pick(PROGRAMS);
  if (!random.once(8)) return name;
  return random.pick([
    `/usr/bin/${name}`,
    `"${name}"`,
    `'${name}'`,
    `\\${name}`,
    `${name.slice(0, 1)}''${name.slice(1)}`,
    `$'${name}'`,
    `../../bin/${name}`,
    `{${name},a}`,
  ]);
}
