import type { ProgramNode } from "../../../programs/table.ts";
import type { Word } from "../../model/model.ts";
import { parseArguments } from "../reading/arguments.ts";
import type { OptionUse } from "../reading/arguments.ts";
import type { Collector } from "../reading/collector.ts";
import { addEffect, addPath } from "../reading/collector.ts";
import { readAssignment } from "../roles/environment.ts";
import { readFaults, readOptionUse } from "./by-table.ts";
import { addStartUp, readsStartUp, startUpFiles } from "./start-up-files.ts";
import { literalAt, literalPrefix, literalValue, mayBeOption, showWord } from "../../model/words.ts";

/** env: options, assignments, a command; without one it prints the environment. */
export function readEnv(to: Collector, words: readonly Word[], node: ProgramNode): void {
  const parsed = parseArguments(node, words);
  const split = parsed.options.find((option) => option.spec.names.includes("-S"));
  if (split !== undefined) {
    const spliced = splice(words, split);
    if (spliced !== null) return readEnv(to, spliced, node);
    return addEffect(to, "undecidable", split.word.span, `\`${split.name}\` of env holds words that are not known beforehand`);
  }
  readFaults(to, parsed);
  const { paths } = to;
  for (const option of parsed.options) {
    // Of several `-C` the last one counts, from where env starts.
    if (option.spec.names.includes("-C")) to.paths = paths;
    readOptionUse(to, option);
    readRemoval(to, option);
  }
  const rest = [...(parsed.command ?? [])];
  const isBare = literalValue(rest[0]) === "-";
  if (isBare) rest.shift();
  while (rest[0] !== undefined && literalPrefix(rest[0]).includes("=")) readAssignment(to, rest.shift() as Word);
  const [program] = rest;
  if (program === undefined) return addEffect(to, "secrets", to.simple.span, "`env` without a command prints every variable");
  if (mayBeOption(program)) return addEffect(to, "undecidable", program.span, `${showWord(program)} may be an assignment or any program`);
  if (literalValue(program)?.startsWith("-") === true)
    return addEffect(to, "undecidable", program.span, `${showWord(program)} stands where env expects a program`);
  const isMoved = parsed.options.some((option) => option.spec.names.includes("-C"));
  const isStripped = isBare || parsed.options.some(removesHome);
  to.nested.push({ kind: "argv", words: rest, via: "env", ...(isMoved ? { directory: to.paths.directory } : {}), ...(isStripped ? { isStripped } : {}) });
}

/** `-u NAME`: the variables by which the sandbox keeps git from repositories that a directory hides. */
function readRemoval(to: Collector, { spec, value, word }: OptionUse): void {
  const name = value === null ? null : literalValue(value);
  if (!spec.names.includes("-u") || (name !== null && !/^(?:GIT_CONFIG|RUFF_NO_CACHE$)/.test(name))) return;
  addEffect(to, "unknown", word.span, `${showWord(value ?? word)} may be what keeps git from running what a directory names, or ruff from writing to it`);
}

/** `-i`, and `-u` of what is `HOME`, `PATH` or not known. */
function removesHome({ spec, value }: OptionUse): boolean {
  const name = value === null ? null : literalValue(value);
  return spec.names.includes("-i") || (spec.names.includes("-u") && (name === null || name === "HOME" || name === "PATH"));
}

/**
 * The words of env with the text of `-S` split in its place, as env reads them then: behind the first that is a program, nothing
 * is an option any more. Null where the text holds a quote, an escape or a variable.
 */
function splice(words: readonly Word[], { word, value }: OptionUse): Word[] | null {
  const at = words.indexOf(word);
  const isAttached = value !== words[at + 1];
  const text = value === null ? null : literalValue(value);
  const cluster = /^-([0iv]*)S|^--/.exec(literalPrefix(word));
  if (at < 0 || value === null || text === null || cluster === null || !/^[\w@%+=:,./ -]*$/.test(text)) return null;
  const before = (cluster[1] ?? "") === "" ? [] : [literalAt(value, `-${cluster[1] ?? ""}`)];
  const parts = text.split(" ").filter((part) => part !== "");
  return [...words.slice(0, at), ...before, ...parts.map((part) => literalAt(value, part)), ...words.slice(at + (isAttached ? 1 : 2))];
}

/** sh, bash, dash, zsh: `-c` makes the first operand a script; without operands it is standard input. */
export function readShell(to: Collector, words: readonly Word[], node: ProgramNode): void {
  const parsed = parseArguments(node, words);
  readFaults(to, parsed);
  // A lone `-` ends the options, as `--` does; behind either, the other is a word.
  const end = words.findIndex((word) => literalValue(word) === "--" || word === parsed.operands[0]);
  const given = literalValue(words[end]) === "-" ? words.slice(end + 1) : parsed.operands;
  const [first] = given;
  const isText = parsed.options.some((option) => option.name === "-c");
  const startUp = isText && first !== undefined ? startUpFiles(to, first) : undefined;
  const greeting = startUp === undefined ? undefined : parsed.options.find(readsStartUp);
  for (const option of parsed.options) if (greeting === undefined || !readsStartUp(option)) readOptionUse(to, option);
  if (greeting !== undefined && startUp !== undefined) addStartUp(to, greeting, startUp);
  if (isText) {
    if (first === undefined) return;
    // Dash goes on with its standard input then.
    const readsOn = parsed.options.find((option) => option.name === "-s");
    if (readsOn !== undefined) addEffect(to, "undecidable", readsOn.word.span, `\`${to.program} -c -s\` may run what stands on its standard input too`);
    const dialect = node.path === "bash" ? "bash" : "sh";
    const operands = given.slice(1);
    const isElsewhere = parsed.options.some(readsStartUp);
    // `+` and `+x` switch options off, and the text is the word behind them.
    if (first.kind !== "literal" || first.value.startsWith("+")) addEffect(to, "undecidable", first.span, `\`${to.program} -c\` runs ${showWord(first)}`);
    else to.nested.push({ kind: "script", text: first, via: to.program, dialect, operands, keepsInput: true, isElsewhere });
    return;
  }
  // A word with a plus switches an option off, and more options may stand behind it: `bash -s +e -c 'rm x'` runs rm.
  if (first !== undefined && first === words[end] && literalPrefix(first).startsWith("+")) {
    addEffect(to, "undecidable", first.span, `${showWord(first)} switches an option of \`${to.program}\` off, and does not end them`);
    return;
  }
  if (first === undefined || parsed.options.some((option) => option.name === "-s")) {
    const isAnswering = parsed.options.length > 0 && parsed.options.every((option) => option.spec.isListing);
    if (!isAnswering) to.stdinScript = { via: to.program, dialect: "bash", operands: given };
    return;
  }
  // With -n alone the file is only parsed.
  const isParsed = parsed.options.length > 0 && parsed.options.every((option) => option.name === "-n");
  if (isParsed && first.kind === "literal" && !first.value.startsWith("-")) return addPath(to, "reads", first);
  if (first.kind === "dynamic" && first.content !== undefined) {
    const dialect = node.path === "bash" ? "bash" : "sh";
    to.nested.push({ kind: "script", text: literalAt(first, first.content), via: to.program, dialect, operands: given, keepsInput: true });
    return;
  }
  addPath(to, "runs-code", first);
}
