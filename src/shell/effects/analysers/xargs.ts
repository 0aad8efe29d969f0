import type { ProgramNode } from "../../../programs/table.ts";
import type { Condition, Stdin, Word } from "../../model/model.ts";
import type { OptionUse } from "../reading/arguments.ts";
import { parseArguments } from "../reading/arguments.ts";
import type { Collector } from "../reading/collector.ts";
import { addEffect } from "../reading/collector.ts";
import { TAKES_NAMES } from "../operands/file-names.ts";
import { readFaults, readOptionUse } from "./by-table.ts";
import { isCommit, literalAt, literalPrefix, literalValue, dynamicWord, pathsBelow } from "../../model/words.ts";
import { listsCommits } from "../output/commit-lists.ts";
import { nameListOf, oddNames, placesOf } from "../output/name-lists.ts";

/** More than this become one word that is not known. */
const MAX_ITEMS = 16;

/** xargs: the command's words, with what stands on standard input behind them or in place of a marker. */
export function readXargs(to: Collector, words: readonly Word[], node: ProgramNode): void {
  const parsed = parseArguments(node, words);
  readFaults(to, parsed);
  for (const option of parsed.options) readOptionUse(to, option);
  const [program] = to.simple.argv;
  const command = parsed.command ?? (program === undefined ? [] : [literalAt(program, "echo")]);
  const marked = parsed.options.findLast((option) => MARKING.some((name) => option.spec.names.includes(name)));
  // The `echo` that runs where no command is given holds no marker.
  const isBare = parsed.command === null && marked !== undefined;
  if (isBare) start(to, [command]);
  const run: Run = { command, options: parsed.options, marked, isBare };
  const known = readItems(to, run);
  if (known !== null) {
    // Where find prints nothing, the command runs once without a path.
    if (marked === undefined && known.words.some((item) => item.kind !== "literal")) start(to, [command]);
    start(to, filled(run, known.words));
  }
  if (known === null || known.unless !== undefined) start(to, filled(run, [appendedWord(to, parsed.options)]), known?.unless);
  if (markerOf(marked) === "" && !isBare) addEffect(to, "undecidable", marked?.word.span ?? to.simple.span, "the marker of xargs is not known beforehand");
}

function start(to: Collector, commands: readonly (readonly Word[])[], through?: Condition): void {
  for (const words of commands) to.nested.push({ kind: "argv", words, via: "xargs", ...(through === undefined ? {} : { through }) });
}

type Run = { readonly command: readonly Word[]; readonly options: readonly OptionUse[]; readonly marked: OptionUse | undefined; readonly isBare: boolean };

/** The commands that run for these items. */
function filled({ command, options, marked, isBare }: Run, items: readonly Word[]): readonly (readonly Word[])[] {
  if (marked === undefined) return appended(command, items, isOneEach(options));
  // Behind a marker a limit of lines or words takes it back in GNU's xargs.
  const isTakenBack = options.slice(options.indexOf(marked)).some(({ spec }) => LIMITING.some((name) => spec.names.includes(name)));
  const marker = markerOf(marked);
  const isAppending = marked.name === "-J";
  const replaced = marker === "" || isBare ? [] : items.map((item) => command.map((word) => fillIn(word, { marker, item, isAppending })));
  return isTakenBack ? [...appended(command, items, false), ...replaced] : replaced;
}

/** Empty: it is not known beforehand. */
function markerOf(marked: OptionUse | undefined): string {
  return marked === undefined || marked.value === null ? "{}" : (literalValue(marked.value) ?? "");
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
  return dynamicWord("appended-by-wrapper", "", simple.argv.at(-1)?.span ?? simple.span, isAbsent ? { isAbsent } : {});
}

/** A file, or a person at a terminal. */
const FEEDING = ["-a", "-o", "-p"];

function appended(command: readonly Word[], items: readonly Word[], isOneEach: boolean): readonly (readonly Word[])[] {
  // Without a word the command runs once all the same.
  return isOneEach && items.length > 0 ? items.map((item) => [...command, item]) : [[...command, ...items]];
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
    if ((item.kind === "pattern" || isCommit(item)) && text === marker) return item;
  }
  const isAbsent = item.kind === "dynamic" && item.isAbsent === true;
  const certain = { ...(isAppending ? {} : { isSingle: true as const }), ...(isAbsent ? { isAbsent } : {}) };
  return dynamicWord("appended-by-wrapper", text.slice(0, at), word.span, certain);
}

/** A pattern stands for any number of paths. `unless`: where this is so, the words are others. */
type Items = { readonly words: readonly Word[]; readonly unless?: Condition };

/** The words that xargs makes of its standard input, when they are known: those of a text, and the names that find and its like print. Null: they are not known. */
function readItems(to: Collector, { command, options }: Run): Items | null {
  const { stdin } = to.simple;
  const has = (...names: readonly string[]): boolean => options.some((option) => names.some((name) => option.spec.names.includes(name)));
  if (has("-a")) return null;
  if (!isSoleReader(to)) return null;
  if (has("-d", "-E", "-e")) return null;
  if (stdin.kind === "text") {
    const words = has("-0") || !options.every(isWordwise) ? null : wordsOf(stdin, has("-I", "-i", "--replace"));
    return words === null ? null : { words };
  }
  if (!has("-0") && listsCommits(to.pipe)) return { words: [commitWord(to)] };
  const list = nameListOf(to.pipe, has("-0") ? "zero" : "newline");
  if (list === null || (list.as !== "paths" && !takesNames(command))) return null;
  const words = placesOf(list).flatMap((start) => pathsBelow(to.simple.argv[0]?.span ?? to.simple.span, start));
  if (has("-0") && list.as === "paths") return { words };
  const unless = oddNames(list, to.pipe, to.home);
  return unless === null ? null : { words, unless };
}

/** The names of any number of commits. */
function commitWord({ simple }: Collector): Word {
  return dynamicWord("appended-by-wrapper", "", simple.argv[0]?.span ?? simple.span, { isCommit: true });
}

/** Whether it is a program to which a word that is no option is the name of a file, whatever it looks like. */
function takesNames([program]: readonly Word[]): boolean {
  return TAKES_NAMES.has(literalValue(program) ?? "");
}

/**
 * A substitution among the words could take a part of the input first, so that a word begins in its middle. So could what started xargs, but not
 * the shell whose text holds the pipe.
 */
function isSoleReader({ simple, pipe }: Collector): boolean {
  const isOpen = (word: Word): boolean => word.kind === "dynamic";
  const depth = pipe[0]?.via.length ?? 0;
  return (
    [...pipe, simple].every(({ via }) => via.length === depth) &&
    simple.assignments.length === 0 &&
    !simple.argv.some(isOpen) &&
    !simple.redirections.some(({ target }) => isOpen(target))
  );
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
