import type { ProgramNode } from "../../../programs/table.ts";
import type { Word } from "../../model.ts";
import { parseArguments } from "../arguments.ts";
import type { Collector } from "../collector.ts";
import { addEffect, addPath } from "../collector.ts";
import { readAssignment } from "../environment.ts";
import { readFaults, readOptionUse } from "../interpretation.ts";
import { literalAt, literalPrefix, literalValue, mayBeOption, showWord } from "../words.ts";

/** env: options, assignments, a command; without one it prints the environment. */
export function readEnv(to: Collector, words: readonly Word[], node: ProgramNode): void {
  const parsed = parseArguments(node, words);
  readFaults(to, parsed);
  for (const option of parsed.options) if (option.name !== "-S" && option.name !== "--split-string") readOptionUse(to, option);
  const rest = [...(parsed.command ?? [])];
  let isSplit = false;
  for (const option of parsed.options) {
    if (option.name !== "-S" && option.name !== "--split-string") continue;
    // Several texts to split come one after the other, in an order that is not followed here.
    const split = isSplit ? null : splitWords(option.value);
    isSplit = true;
    if (split === null) return addEffect(to, "undecidable", option.word.span, `\`${option.name}\` of env holds words that are not known beforehand`);
    rest.unshift(...split);
  }
  if (literalValue(rest[0]) === "-") rest.shift();
  while (rest[0] !== undefined && literalPrefix(rest[0]).includes("=")) readAssignment(to, rest.shift() as Word);
  const [program] = rest;
  if (program === undefined) return addEffect(to, "secrets", to.simple.span, "`env` without a command prints every variable");
  if (mayBeOption(program)) return addEffect(to, "undecidable", program.span, `${showWord(program)} may be an assignment or any program`);
  if (literalValue(program)?.startsWith("-") === true)
    return addEffect(to, "undecidable", program.span, `${showWord(program)} stands where env expects a program`);
  const isMoved = parsed.options.some((option) => option.spec.names.includes("-C"));
  to.nested.push({ kind: "argv", words: rest, via: "env", ...(isMoved ? { directory: to.paths.directory } : {}) });
}

/** The words of `env -S`, when they hold no quote, escape or variable; null otherwise. */
function splitWords(value: Word | null): Word[] | null {
  const text = value === null ? null : literalValue(value);
  if (text === null || value === null || !/^[\w@%+=:,./ -]*$/.test(text)) return null;
  return text
    .split(" ")
    .filter((part) => part !== "")
    .map((part) => literalAt(value, part));
}

/** sh, bash, dash, zsh: `-c` makes the first operand a script; without operands it is standard input. */
export function readShell(to: Collector, words: readonly Word[], node: ProgramNode): void {
  const parsed = parseArguments(node, words);
  readFaults(to, parsed);
  for (const option of parsed.options) readOptionUse(to, option);
  const [first] = parsed.operands;
  if (parsed.options.some((option) => option.name === "-c")) {
    if (first === undefined) return;
    const dialect = node.path === "bash" ? "bash" : "sh";
    const operands = parsed.operands.slice(1);
    if (first.kind === "literal") to.nested.push({ kind: "script", text: first, via: to.program, dialect, operands, keepsInput: true });
    else addEffect(to, "undecidable", first.span, `\`${to.program} -c\` runs ${showWord(first)}`);
    return;
  }
  if (first === undefined || parsed.options.some((option) => option.name === "-s")) {
    const isAnswering = parsed.options.length > 0 && parsed.options.every((option) => option.spec.isListing);
    if (!isAnswering) to.stdinScript = { via: to.program, dialect: "bash", operands: parsed.operands };
    return;
  }
  addPath(to, "runs-code", first);
}
