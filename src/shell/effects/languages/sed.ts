import type { Word } from "../../model/model.ts";
import type { Collector } from "../reading/collector.ts";
import { addEffect, addPath } from "../reading/collector.ts";
import { literalAt, showWord } from "../../model/words.ts";

/**
 * A sed script, read command by command (GNU sed 4.9): `e` and the flag `e` run programs, `w` and `W`
 * write, `r` and `R` read. What does not parse is `unknown`, because sed might read it otherwise.
 */
export function readSedScript(to: Collector, word: Word): void {
  if (word.kind !== "literal") return addEffect(to, "unknown", word.span, `${showWord(word)} is a sed script that is not known beforehand`);
  const scanner: Scanner = { text: word.value, at: 0, isLabelled: false, to, word };
  while (scanner.at < scanner.text.length) {
    if (!readCommand(scanner)) return addEffect(to, "unknown", word.span, `the sed script ${showWord(word)} could not be read`);
  }
}

type Scanner = {
  readonly text: string;
  at: number;
  /** In its line a label stands before. */ isLabelled: boolean;
  readonly to: Collector;
  readonly word: Word;
};

function readCommand(scanner: Scanner): boolean {
  const end = scanner.at;
  skip(scanner, /[\s;]*/y);
  if (holdsLine(scanner, end)) scanner.isLabelled = false;
  if (scanner.at >= scanner.text.length) return true;
  const start = scanner.at;
  if (!readAddress(scanner)) return false;
  if (scanner.text[scanner.at] === ",") {
    scanner.at += 1;
    if (!readAddress(scanner)) return false;
  }
  skip(scanner, /[\s!]*/y);
  const name = scanner.text[scanner.at] ?? "";
  scanner.at += 1;
  // With --posix, and to BSD's sed, a label goes on to the end of its line: what looks like the text of a command is commands then.
  return dispatch(scanner, name) && !(scanner.isLabelled && holdsLine(scanner, start));
}

function holdsLine({ text, at }: Scanner, start: number): boolean {
  return text.slice(start, at).includes("\n");
}

function dispatch(scanner: Scanner, name: string): boolean {
  if ("{}=dDgGhHnNpPxzF".includes(name) && name !== "") return endsHere(scanner, name);
  if ("qQlL".includes(name) && name !== "") return skip(scanner, /\s*\d*/y) && endsHere(scanner, name);
  if (name === "#") return skip(scanner, /[^\n]*/y);
  // Behind the blank that ends a label another command may stand.
  if (":btTv".includes(name) && name !== "") {
    scanner.isLabelled = true;
    return skip(scanner, /[ \t]*[^ \t\n\v\f\r;}]*/y);
  }
  // Without a text in the same line the next one holds commands.
  if ("aic".includes(name) && name !== "") return skip(scanner, /[ \t]*(?:\\\n)?(?:\\[\s\S]|[^\n\\])*/y);
  if (name === "s") return readSubstitution(scanner);
  if (name === "y") return skipDelimited(scanner, "y") && endsHere(scanner, name);
  if (name === "e") return runs(scanner);
  if ("wW".includes(name) && name !== "") return readFileName(scanner, "writes");
  if ("rR".includes(name) && name !== "") return readFileName(scanner, "reads");
  return false;
}

/** Behind a command there may only be blanks, `;`, `}`, a comment or the end of the line. */
function endsHere(scanner: Scanner, name: string): boolean {
  if (name === "{" || name === "}") return true;
  skip(scanner, /[ \t]*/y);
  return scanner.at >= scanner.text.length || /[;\n}#]/.test(scanner.text.charAt(scanner.at));
}

/** An address or nothing: `3`, `$`, `/re/I`, `\cREc`, `0~4`, `+2`, `~4`. */
function readAddress(scanner: Scanner): boolean {
  skip(scanner, /\s*/y);
  const next = scanner.text[scanner.at];
  if (next === "/" || next === "\\") {
    if (next === "\\") scanner.at += 1;
    return skipDelimited(scanner, "address") && skip(scanner, /[IM]*\s*/y);
  }
  return skip(scanner, /(?:\$|[+~]?\d+(?:~\d+)?)?\s*/y);
}

function readSubstitution(scanner: Scanner): boolean {
  if (!skipDelimited(scanner, "s")) return false;
  const flags = /[gpiImM\d]*/y;
  for (;;) {
    skip(scanner, flags);
    const next = scanner.text[scanner.at];
    if (next === "e") {
      runsFlag(scanner);
      scanner.at += 1;
    } else if (next === "w") {
      scanner.at += 1;
      return readFileName(scanner, "writes");
    } else return endsHere(scanner, "s");
  }
}

/** Skips a regular expression, or for `y` a list of characters, and a second text behind it. */
function skipDelimited(scanner: Scanner, what: "address" | "s" | "y"): boolean {
  const { text } = scanner;
  const delimiter = text[scanner.at];
  if (delimiter === undefined || delimiter === "\n" || delimiter === "\\") return false;
  const start = scanner.at + 1;
  const plain = endOf(text, start, { delimiter });
  const [end = null, ...others] = BRACKETS.map((reading) => endOf(text, start, { delimiter, ...reading }));
  if (plain === null || end === null || others.some((other) => other !== end)) return false;
  // A sed to which the expression ends within a bracket refuses it, but only behind the flag `w`, whose file it has made by then. To some, `\c[` opens none.
  const isSure = what !== "y" && !text.slice(start, plain).includes("\\c") && !(what === "s" && mayHaveFile(text, plain + 1, delimiter));
  if (plain !== end && !isSure) return false;
  const last = what === "address" ? end : endOf(text, end + 1, { delimiter });
  if (last === null) return false;
  scanner.at = last + 1;
  return true;
}

/** How seds find the end of a bracket expression, within which a delimiter is a character like others to some of them: `[[:alpha:]/]`, `[\]/]`. */
const BRACKETS = [
  { hasClasses: true, hasEscapes: false },
  { hasClasses: false, hasEscapes: false },
  { hasClasses: true, hasEscapes: true },
  { hasClasses: false, hasEscapes: true },
];

type Delimited = {
  readonly delimiter: string;
  /** Absent: a bracket is a character like others. */ readonly hasClasses?: boolean;
  readonly hasEscapes?: boolean;
};

/** Where the delimiter stands that ends the text; null: nowhere. */
function endOf(text: string, start: number, { delimiter, hasClasses, hasEscapes }: Delimited): number | null {
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === delimiter) return at;
    if (text[at] === "\\") at += 1;
    else if (text[at] === "[" && hasClasses !== undefined) {
      const bracket = BRACKET[`${hasClasses} ${hasEscapes === true}`];
      bracket.lastIndex = at;
      const match = bracket.exec(text);
      if (match === null) return null;
      at += match[0].length - 1;
    }
  }
  return null;
}

/** A `]` that stands first does not end it. */
const BRACKET = {
  "true false": /\[\^?\]?(?:\[:\w*:\]|\[=.=\]|\[\..\.\]|[^\]])*\]/sy,
  "false false": /\[\^?\]?[^\]]*\]/sy,
  "true true": /\[\^?\]?(?:\[:\w*:\]|\[=.=\]|\[\..\.\]|\\.|[^\]\\])*\]/sy,
  "false true": /\[\^?\]?(?:\\.|[^\]\\])*\]/sy,
};

function mayHaveFile(text: string, start: number, delimiter: string): boolean {
  const end = endOf(text, start, { delimiter });
  return end !== null && /^[gpiImMe\d]*w/.test(text.slice(end + 1));
}

/** All that is left of the line, blanks at its end too. What else looks like a blank before it belongs to the name in some seds alone. */
function readFileName(scanner: Scanner, kind: "reads" | "writes"): boolean {
  skip(scanner, /[ \t]*/y);
  const start = scanner.at;
  skip(scanner, /[^\n]*/y);
  const name = scanner.text.slice(start, scanner.at);
  if (name === "" || /^\s/.test(name)) return false;
  addPath(scanner.to, kind, literalAt(scanner.word, name));
  return true;
}

function runs(scanner: Scanner): boolean {
  runsFlag(scanner);
  return skip(scanner, /[^\n]*/y);
}

function runsFlag(scanner: Scanner): void {
  addEffect(scanner.to, "runs-code", scanner.word.span, `the sed script ${showWord(scanner.word)} runs a program by \`e\``);
}

/** Moves behind a sticky pattern's match; always true. */
function skip(scanner: Scanner, pattern: RegExp): true {
  pattern.lastIndex = scanner.at;
  scanner.at += pattern.exec(scanner.text)?.[0].length ?? 0;
  return true;
}
