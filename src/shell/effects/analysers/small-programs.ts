import type { ProgramNode } from "../../../programs/table.ts";
import type { Word } from "../../model/model.ts";
import type { Collector } from "../reading/collector.ts";
import { addEffect, addPath } from "../reading/collector.ts";
import { interpret } from "./by-table.ts";
import { behind, literalPrefix, literalValue, mayBeOption, showWord } from "../../model/words.ts";

const DD_TEXT = /^(?:bs|ibs|obs|cbs|count|skip|seek|iseek|oseek|conv|iflag|oflag|status)=/;

/** dd: `if=` is read, `of=` is written, the rest are numbers and flags. */
export function readDd(to: Collector, words: readonly Word[]): void {
  for (const word of words) {
    const text = literalPrefix(word);
    if (text.startsWith("if=")) addPath(to, "reads", behind(word, 3));
    else if (text.startsWith("of=")) addPath(to, "writes", behind(word, 3));
    else if (!DD_TEXT.test(text)) addEffect(to, "unknown", word.span, `${showWord(word)} is no operand of dd that the table knows`);
  }
}

const FILE_TESTS = new Set(["-b", "-c", "-d", "-e", "-f", "-g", "-G", "-h", "-k", "-L", "-N", "-O", "-p", "-r", "-s", "-S", "-u", "-w", "-x"]);
const OPERATORS = new Set([
  ...FILE_TESTS,
  "-a",
  "-n",
  "-z",
  "-t",
  "-o",
  "!",
  "(",
  ")",
  "=",
  "==",
  "!=",
  "<",
  ">",
  "-eq",
  "-ne",
  "-lt",
  "-le",
  "-gt",
  "-ge",
  "-nt",
  "-ot",
  "-ef",
  "]",
]);

/**
 * test and `[`. `-v NAME` and `-R NAME` evaluate a subscript, which may run a program; so may a word that
 * is not known beforehand and may be `-v`.
 */
export function readTest(to: Collector, words: readonly Word[]): void {
  for (const [index, word] of words.entries()) {
    const value = literalValue(word);
    const before = literalValue(words[index - 1]) ?? "";
    if (word.kind === "dynamic" && word.isSingle !== true) addEffect(to, "undecidable", word.span, `${showWord(word)} may become several words of a test`);
    else if (mayBeOption(word) && !isSafelyPlaced(words, index)) addEffect(to, "undecidable", word.span, `${showWord(word)} may become an operator of a test`);
    if (value === "-v" || value === "-R") addEffect(to, "undecidable", word.span, `\`${value}\` evaluates the name behind it`);
    else if (value?.startsWith("-") === true && value.length === 2 && /[a-zA-Z]/.test(value.charAt(1)) && !OPERATORS.has(value)) {
      addEffect(to, "unknown", word.span, `${showWord(word)} is no operator of a test that the table knows`);
    }
    if (FILE_TESTS.has(before) && value !== "]") addPath(to, "reads", word);
  }
}

/** Behind an operator, or before one of two sides, a word is an operand whatever its value. */
function isSafelyPlaced(words: readonly Word[], index: number): boolean {
  const before = words[index - 1];
  const after = words[index + 1];
  const isOperand = (word: Word | undefined): boolean => OPERATORS.has(literalValue(word) ?? "") && !["!", "(", ")", "]"].includes(literalValue(word) ?? "");
  return isOperand(before) || isOperand(after) || words.length === 1 || (words.length === 2 && literalValue(after) === "]");
}

/** printf: `-v NAME[…]` evaluates a subscript. Behind a format that is known, words are only text. */
export function readPrintf(to: Collector, words: readonly Word[]): void {
  const [format] = words;
  if (format === undefined) return;
  const text = literalPrefix(format);
  if (format.kind === "literal" && (!text.startsWith("-") || text === "--" || text === "-")) return;
  if (format.kind !== "literal" && !mayBeOption(format)) return;
  addEffect(to, "undecidable", format.span, `${showWord(format)} may be the option \`-v\` of printf`);
}

/** ps: a word that begins with a letter is BSD options, of which `e` shows every process's environment; behind some letters the rest is a value. */
export function readPs(to: Collector, words: readonly Word[], node: ProgramNode): void {
  const rest: Word[] = [];
  const shown = words.find((word) => /environ\b/.test(literalPrefix(word)));
  if (shown !== undefined) addEffect(to, "secrets", shown.span, "the column `environ` of `ps` is the environment of processes");
  const reread = words.find(isReread);
  if (reread !== undefined && words.some((word) => /^-?[a-zA-Z]*e/.test(literalPrefix(word))))
    addEffect(
      to,
      "secrets",
      reread.span,
      `with ${showWord(reread)} \`ps\` reads its whole line as BSD options, of which \`e\` shows the environment of processes`,
    );
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] as Word;
    const letters = literalValue(word);
    if (mayShowAll(word)) addEffect(to, "secrets", word.span, `${showWord(word)} may be letters that make \`ps\` show the environment of processes`);
    if (letters === null || !/^[a-zA-Z]/.test(letters)) {
      rest.push(word);
      const takesValue =
        letters !== null &&
        /^-(?:[A-Za-z]*[CGgOopqstUu]|-(?:cols|columns|format|Group|group|pid|ppid|quick-pid|rows|lines|sid|sort|tty|User|user|width))$/.test(letters);
      const value = takesValue ? words[index + 1] : undefined;
      if (value === undefined) continue;
      if (/o$|format$/i.test(letters ?? "") && mayShowAll(value))
        addEffect(to, "secrets", value.span, `${showWord(value)} may be the column \`environ\` of \`ps\``);
      rest.push(value);
      index += 1;
      continue;
    }
    const [flags = "", value = ""] = /^([^ptUOok\d]*)(.*)$/s.exec(letters)?.slice(1) ?? [];
    if (flags.includes("e")) addEffect(to, "secrets", word.span, "`e` makes `ps` show the environment of processes");
    if (/[^aAcfghjlmnrsuvwxXTSe]/.test(flags)) addEffect(to, "unknown", word.span, `${showWord(word)} is no option of ps that the table knows`);
    if (/^[ptUOok]$/.test(value)) index += 1;
  }
  interpret(to, { ...node, analyser: null }, rest);
}

/** `-x`, and what `-u` and its like name no user by, make procps read the line once more: `ps -ax -e` is `ps ax e`, and `ps -aux -e` is `ps aux e`. */
function isReread(word: Word): boolean {
  return /^-[^CGgOopqstUukn-]*(?:[ugsn][a-zA-Z]*)?x/.test(literalPrefix(word));
}

/** What may be letters or a column: no number, and no option that takes none. */
function mayShowAll(word: Word): boolean {
  if (word.kind === "literal" || (word.kind === "dynamic" && (word.isNumeric === true || word.reason === "arithmetic"))) return false;
  return !/^(?:-(?!-format=|[A-Za-z]*[oO])|\d)/.test(literalPrefix(word));
}

/** busybox and toybox: the first word is the program. */
export function readBusybox(to: Collector, words: readonly Word[]): void {
  const name = literalValue(words[0]);
  if (words.length === 0 || name === "--list" || name === "--help" || name === "--list-full") return;
  if (name === null || name.startsWith("-"))
    return addEffect(to, "undecidable", (words[0] as Word).span, `${showWord(words[0] as Word)} is no program of busybox that is known beforehand`);
  // The tables are of other implementations: an applet may take the same option for something else.
  addEffect(to, "unknown", to.simple.span, `\`${to.program} ${name}\` takes other options than the program \`${name}\` of the tables`);
  to.nested.push({ kind: "argv", words, via: to.program });
}
