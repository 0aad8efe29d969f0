import type { PathOperand, Word } from "../../model/model.ts";
import type { Collector } from "../reading/collector.ts";
import { addEffect, addPath } from "../reading/collector.ts";
import { literalPath } from "../operands/paths.ts";
import { readRole } from "../roles/roles.ts";
import { literalPrefix, literalValue, showWord, dynamicWord, openWord, patternWord, globBelow } from "../../model/words.ts";
import { mayEndCommand } from "./command-end.ts";
import { PLAIN, WITH_FILE, WITH_TEXT } from "../output/find-words.ts";

const WRITING = new Set(["-fprint", "-fprint0", "-fls", "-fprintf"]);
const RUNNING = new Set(["-exec", "-execdir", "-ok", "-okdir"]);

type Search = { readonly to: Collector; readonly words: readonly Word[]; readonly starts: Word[]; at: number };

/** find: starting points, then tests and actions (GNU findutils 4.9, and the options of BSD before them). */
export function readFind(to: Collector, words: readonly Word[]): void {
  const search: Search = { to, words, starts: [], at: 0 };
  readStarts(search);
  // It takes the place of the working directory, also where it stands behind an action.
  if (words.some((word) => literalValue(word) === "-files0-from")) search.starts.push(openWord("parameter", "", to.simple.span));
  if (search.starts.length === 0) search.starts.push({ kind: "literal", value: ".", quoted: false, span: to.simple.span });
  for (const start of search.starts) addPath(to, "reads", start);
  while (search.at < words.length) readExpression(search);
}

function readStarts(search: Search): void {
  for (; search.at < search.words.length; search.at += 1) {
    const word = search.words[search.at] as Word;
    const prefix = literalPrefix(word);
    if (word.kind === "literal" && /^(?:-[EHLPXdsx]+|-O\d)$/.test(prefix)) continue;
    if (word.kind === "literal" && prefix === "-D") {
      search.at += 1;
      continue;
    }
    if (word.kind === "literal" && (prefix.startsWith("-") || ["!", "(", ")", ","].includes(prefix))) return;
    if (word.kind !== "literal" && (prefix === "" || prefix.startsWith("-")) && !isPlainGlob(word)) doubt(search, word);
    search.starts.push(word);
  }
}

function readExpression(search: Search): void {
  const word = search.words[search.at] as Word;
  search.at += 1;
  const name = literalValue(word);
  if (name === null) return doubt(search, word);
  if (PLAIN.has(name)) return;
  if (WITH_TEXT.has(name)) {
    readText(search);
    return;
  }
  if (WITH_FILE.has(name) || /^-newer[aBcm][aBcmt]$/.test(name)) {
    const file = readText(search);
    if (file !== undefined && !name.endsWith("t")) addPath(search.to, "reads", file);
    return;
  }
  if (name === "-files0-from") {
    const file = readText(search);
    if (file !== undefined) readRole(search.to, "list", file, true);
    return;
  }
  if (WRITING.has(name)) {
    const file = readText(search);
    if (file !== undefined) addPath(search.to, "writes", file);
    if (name === "-fprintf") readText(search);
    return;
  }
  if (name === "-delete") return deleteAll(search);
  if (RUNNING.has(name)) return readCommand(search, name, word);
  doubt(search, word);
}

/** An argument of a test. One that may vanish or become several words shifts what follows. */
function readText(search: Search): Word | undefined {
  const word = search.words[search.at];
  search.at += 1;
  if (word === undefined || word.kind === "literal" || (word.kind === "dynamic" && word.isSingle === true) || isPlainGlob(word)) return word;
  doubt(search, word);
  return word;
}

/** Whatever `*.c` becomes holds a dot, as no word of find's language does, and begins as the pattern does. */
function isPlainGlob(word: Word): boolean {
  if (word.kind !== "pattern") return false;
  const last = Math.max(...["*", "?", "[", "]"].map((sign) => word.glob.lastIndexOf(sign)));
  return !literalPrefix(word).startsWith("-") && word.glob.includes(".", last + 1);
}

function deleteAll(search: Search): void {
  for (const start of search.starts) addPath(search.to, "deletes", start, true);
}

/** Everything up to `;` or `+` is a command, once for each starting point. */
function readCommand(search: Search, name: string, word: Word): void {
  const words: Word[] = [];
  for (; search.at < search.words.length; search.at += 1) {
    const next = search.words[search.at] as Word;
    const value = literalValue(next);
    if (value === ";" || (value === "+" && literalValue(words.at(-1)) === "{}")) break;
    if (!isPlainGlob(next) && mayEndCommand({ before: words.at(-1), word: next, after: search.words[search.at + 1] }, isOfExpression)) doubt(search, next);
    words.push(next);
  }
  const takesMany = literalValue(search.words[search.at]) === "+";
  search.at += 1;
  if (words.length === 0) return doubt(search, word);
  // Words become paths below the starting points; with many starting points they are simply not known.
  const starts = search.starts.length > 4 ? [null] : search.starts;
  for (const start of starts) {
    const isElsewhere = name.endsWith("dir");
    const filled = words.map((each) =>
      fillIn(each, { start, takesMany, from: isElsewhere ? literalPath(literalValue(start ?? undefined) ?? "", search.to.paths) : null }),
    );
    search.to.nested.push({ kind: "argv", words: filled, via: `find ${name}`, isElsewhere });
  }
}

/** A word of find's own language; behind the end of a command anything else is an error. */
function isOfExpression(text: string): boolean {
  return /^[!(),]$|^-(?:delete|files0-from|newer[aBcm][aBcmt])$/.test(text) || [PLAIN, WITH_TEXT, WITH_FILE, WRITING, RUNNING].some((names) => names.has(text));
}

type Filling = {
  readonly start: Word | null;
  /** `-exec … {} +`: any number of paths. */
  readonly takesMany: boolean;
  /** `-execdir`: the words are names in directories below this one; null: they are paths. */
  readonly from: PathOperand | null;
};

/** `{}` becomes a path below the starting point; `x{}y` a text that contains one. */
function fillIn(word: Word, { start, takesMany, from }: Filling): Word {
  const text = literalPrefix(word);
  const at = text.indexOf("{}");
  if (at < 0) return word;
  const root = start?.kind === "literal" ? start.value : null;
  if (word.kind === "literal" && text === "{}" && root !== null && root !== "") {
    if (from?.kind === "literal") return patternWord("./**", word.span, { root: from.path });
    if (from === null) return patternWord(globBelow(root), word.span);
  }
  const prefix = text.slice(0, at);
  return takesMany ? dynamicWord("appended-by-wrapper", prefix, word.span) : openWord("appended-by-wrapper", prefix, word.span);
}

function doubt(search: Search, word: Word): void {
  addEffect(search.to, "unknown", word.span, `${showWord(word)} is no test or action of find that the table knows`);
}
