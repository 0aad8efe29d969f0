import type { ProgramNode } from "../../../programs/table.ts";
import type { SimpleCommand, Stdin, Word } from "../../model.ts";
import type { OptionUse } from "../arguments.ts";
import { parseArguments } from "../arguments.ts";
import type { Collector } from "../collector.ts";
import { addEffect } from "../collector.ts";
import { readFaults, readOptionUse } from "../interpretation.ts";
import { literalAt, literalPrefix, literalValue } from "../words.ts";
import { printedPaths } from "./find.ts";

/** More than this become one word that is not known. */
const MAX_ITEMS = 16;

/** xargs: the command's words, with what stands on standard input behind them or in place of a marker. */
export function readXargs(to: Collector, words: readonly Word[], node: ProgramNode): void {
  const parsed = parseArguments(node, words);
  readFaults(to, parsed);
  for (const option of parsed.options) readOptionUse(to, option);
  const [program] = to.simple.argv;
  const command = parsed.command ?? (program === undefined ? [] : [literalAt(program, "echo")]);
  const known = readItems(to, parsed.options);
  const items = known ?? [appendedWord(to, parsed.options)];
  const marked = parsed.options.findLast((option) => MARKING.some((name) => option.spec.names.includes(name)));
  if (marked === undefined) {
    // Where find prints nothing, the command runs once without a path.
    if (known?.some((item) => item.kind === "pattern") === true) to.nested.push({ kind: "argv", words: command, via: "xargs" });
    return append(to, command, items, isOneEach(parsed.options));
  }
  // The `echo` that runs where no command is given holds no marker.
  if (parsed.command === null) to.nested.push({ kind: "argv", words: command, via: "xargs" });
  // Behind a marker a limit of lines or words takes it back in GNU's xargs.
  if (parsed.options.slice(parsed.options.indexOf(marked)).some(({ spec }) => LIMITING.some((name) => spec.names.includes(name))))
    append(to, command, items, false);
  if (parsed.command === null) return;
  const marker = marked.value === null ? "{}" : literalValue(marked.value);
  if (marker === null || marker === "") return addEffect(to, "undecidable", marked.word.span, "the marker of xargs is not known beforehand");
  const isAppending = marked.name === "-J";
  for (const item of items) to.nested.push({ kind: "argv", words: command.map((word) => fillIn(word, { marker, item, isAppending })), via: "xargs" });
}

const MARKING = ["-I", "-i", "-J", "--replace"];
const LIMITING = ["-l", "-L", "-n", "--max-lines", "--max-args"];

/**
 * A word that is not known. Where nothing feeds xargs there is none, so nothing is read by it; what else it could do, as an option or
 * a file that is deleted, counts nevertheless.
 */
function appendedWord({ simple }: Collector, options: readonly OptionUse[]): Word {
  const isAbsent =
    simple.stdin.kind === "inherited" && simple.stdin.isEmpty === true && !options.some(({ spec }) => FEEDING.some((name) => spec.names.includes(name)));
  return { kind: "dynamic", reason: "appended-by-wrapper", prefix: "", span: simple.argv.at(-1)?.span ?? simple.span, ...(isAbsent ? { isAbsent } : {}) };
}

/** A file, or a person at a terminal. */
const FEEDING = ["-a", "-o", "-p"];

function append(to: Collector, command: readonly Word[], items: readonly Word[], isOneEach: boolean): void {
  // Without a word the command runs once all the same.
  if (isOneEach && items.length > 0) for (const item of items) to.nested.push({ kind: "argv", words: [...command, item], via: "xargs" });
  else to.nested.push({ kind: "argv", words: [...command, ...items], via: "xargs" });
}

type Filling = { readonly marker: string; readonly item: Word; /** `-J`: the marker may become several words. */ readonly isAppending: boolean };

function fillIn(word: Word, { marker, item, isAppending }: Filling): Word {
  const text = word.kind === "pattern" ? word.glob : literalPrefix(word);
  const at = text.indexOf(marker);
  if (at < 0) return word;
  if (word.kind === "literal" && !isAppending) {
    if (item.kind === "literal")
      return literalAt(
        word,
        text.replaceAll(marker, () => item.value),
      );
    if (item.kind === "pattern" && text === marker) return item;
  }
  const isAbsent = item.kind === "dynamic" && item.isAbsent === true;
  const certain = { ...(isAppending ? {} : { isSingle: true as const }), ...(isAbsent ? { isAbsent } : {}) };
  return { kind: "dynamic", reason: "appended-by-wrapper", prefix: text.slice(0, at), span: word.span, ...certain };
}

/**
 * The words that xargs makes of its standard input, when they are known: those of a text, and the paths that find prints with `-print0`. A pattern stands for any number of paths. Null: they are not known.
 */
function readItems(to: Collector, options: readonly OptionUse[]): readonly Word[] | null {
  const { stdin } = to.simple;
  const has = (...names: readonly string[]): boolean => options.some((option) => names.some((name) => option.spec.names.includes(name)));
  if (has("-a")) return null;
  if (!isSoleReader(to)) return null;
  if (stdin.kind === "text") return has("-0", "-d", "-E", "-e") || !options.every(isWordwise) ? null : wordsOf(stdin, has("-I", "-i", "--replace"));
  const { feeder } = to;
  if (feeder?.program !== "find" || !isQuiet(feeder) || !has("-0") || has("-d", "-E", "-e")) return null;
  return printedPaths(feeder.argv.slice(1));
}

/** Its complaints, if they go anywhere, go to a file. */
function isQuiet({ redirections, assignments }: SimpleCommand): boolean {
  return assignments.length === 0 && redirections.every(({ fd, effect }) => fd === 2 && (effect === "write" || effect === "append"));
}

/** A substitution among the words could take a part of the input first, so that a word begins in its middle. */
function isSoleReader({ simple }: Collector): boolean {
  const isOpen = (word: Word): boolean => word.kind === "dynamic";
  return simple.via.length === 0 && simple.assignments.length === 0 && !simple.argv.some(isOpen) && !simple.redirections.some(({ target }) => isOpen(target));
}

/** `-n`, `-L`, `-s` and their like cut the words into several commands; one word each is followed. */
function isWordwise({ spec, value }: OptionUse): boolean {
  const isCutting = ["-n", "-L", "-l", "-s", "-S", "-R", "-J"].some((name) => spec.names.includes(name));
  return !isCutting || (spec.names.includes("-n") && value !== null && literalValue(value) === "1");
}

function isOneEach(options: readonly OptionUse[]): boolean {
  return options.some((option) => option.spec.names.includes("-n") && option.value !== null && literalValue(option.value) === "1");
}

/** The words of a text without quotes; with a marker, a line is one. */
function wordsOf(stdin: Stdin & { kind: "text" }, isLinewise: boolean): readonly Word[] | null {
  const { text } = stdin;
  if (text.kind !== "literal" || !/^[\w./@%+=:, \t\n-]*$/.test(text.value)) return null;
  const words = text.value.split(isLinewise ? "\n" : /[ \t\n]+/).filter((word) => /[^ \t]/.test(word));
  if (words.length > MAX_ITEMS || words.some((word) => /[ \t]/.test(word))) return null;
  return words.map((word) => literalAt(text, word));
}
