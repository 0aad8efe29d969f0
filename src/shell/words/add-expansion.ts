import {
  addCommit,
  addDynamic,
  addFoundName,
  addFileName,
  addLiteral,
  addNumber,
  addOpenGlob,
  addPrefix,
  addUnquotedValue,
  addWords,
  flush,
} from "./builder.ts";
import type { Draft, Place } from "./builder.ts";
import { isNegatedOtherwise } from "../text/dialect.ts";
import { pathsBelow } from "../model/words.ts";
import { addUndecidable, spanOf } from "../state/scope.ts";
import { expandBraced, expandName, visitArithmetic, visitSubstitution } from "./expansions.ts";
import type { Expansion } from "./expansions.ts";
import { givenNames, listedWords } from "./printed-names.ts";
import type { Word } from "../model/model.ts";
import { printsNumbers } from "./printed-numbers.ts";
import type { ParameterExpansionPart, WordPart } from "../text/parse.ts";
import { isExactlyOne } from "../state/parameters.ts";
import { printedText } from "./printed-text.ts";
import type { State } from "../state/state.ts";
import { DEFAULT_SEPARATORS, knownValue, mayPrintTrap } from "../state/variables.ts";
import type { Scope } from "../state/walk.ts";

type ExpansionType = "SimpleExpansion" | "ParameterExpansion" | "ArithmeticExpansion" | "CommandExpansion" | "ProcessSubstitution";
type ExpansionPart = Extract<WordPart, { readonly type: ExpansionType }>;

type Standing = {
  readonly state: State;
  readonly place: Place;
  /** It stands outside of quotes, where its value is split. */
  readonly splits: boolean;
  /** Where it becomes nothing at all, the quotes around it leave no trace either, or leave one for certain. */
  readonly isAlone: boolean;
  /** It is all of the word. */
  readonly isWhole: boolean;
};

// It splits no value, and takes a part of it: `$x[2,3]`, in quotes as well. What stands in the brackets is arithmetic.
const ZSH = /(?:^|\/)zsh$/;

function isZsh({ dialect, via }: Scope): boolean {
  return dialect === "sh" && via.some((program) => ZSH.test(program));
}

/** Adds an expansion to a word. */
export function addExpansion(scope: Scope, draft: Draft, part: ExpansionPart, at: Standing): void {
  switch (part.type) {
    case "SimpleExpansion":
      if (isZsh(scope) && scope.source.text.startsWith("[", part.end)) addUndecidable(scope, "subscript", spanOf(scope, part));
      // Shells do not agree whether `$10` is the tenth parameter.
      if (scope.dialect === "sh" && /^\$\d$/.test(part.text) && /^\d/.test(scope.source.text.slice(part.end))) addDynamic(draft, "parameter", at.splits);
      else addValue(scope, draft, expandName(scope, part.text.slice(1), at.state), at);
      return;
    case "ParameterExpansion":
      if (!at.splits && part.text.includes("$'")) addUndecidable(scope, "uncovered-substitution", spanOf(scope, part));
      addBraced(scope, draft, part, at);
      return;
    case "ArithmeticExpansion":
      visitArithmetic(scope, part, at.state);
      addDynamic(draft, "arithmetic", false);
      return;
    case "CommandExpansion": {
      const from = scope.walk.simples.length;
      visitSubstitution(scope, part, at.state);
      const listed =
        at.place === "operand" && at.splits && at.isWhole ? listedWords(scope, part.script, { from, state: at.state, span: spanOf(scope, part) }) : null;
      if (listed !== null) {
        draft.words.push(...listed);
        return;
      }
      const printed = printedText(scope, part.script, { from, state: at.state });
      const numbers = mayPrintTrap(scope) ? null : printsNumbers(part.script);
      if (printed !== null) addValue(scope, draft, { value: printed, reason: "command-substitution", isList: false }, at);
      // No separator is a digit (state/harmless-values.ts): behind a text a number neither ends the word nor vanishes with it.
      else if (numbers === "one" && draft.value !== "") addNumber(draft, "command-substitution", false);
      else if (numbers !== null && (numbers !== "several" || at.splits)) addNumber(draft, "command-substitution", at.splits, numbers === "several");
      else addName(draft, givenNames(scope, part.script, { from, state: at.state }), at);
      return;
    }
    case "ProcessSubstitution": {
      const from = scope.walk.simples.length;
      visitSubstitution(scope, part, at.state);
      // `<()` is no file, and no word.
      addDynamic(draft, "process-substitution", part.script === undefined || part.script.commands.length === 0);
      draft.isPipe = part.text.startsWith("<");
      draft.content = draft.isPipe ? printedText(scope, part.script, { from, state: at.state }) : null;
    }
  }
}

/** Adds what a substitution gives. Behind a text, what holds no separator neither ends the word nor vanishes with it. */
function addName(draft: Draft, given: ReturnType<typeof givenNames>, at: Standing): void {
  const splits = at.splits && (given !== "stamp" || draft.value === "");
  if (given === null || at.place !== "operand") addDynamic(draft, "command-substitution", splits);
  else addCommit(draft, splits);
}

/** A pattern that an operation puts into the value is one outside of quotes: `${x:-/etc/*}`. */
function addBraced(scope: Scope, draft: Draft, part: ParameterExpansionPart, at: Standing): void {
  const expansion = expandBraced(scope, part, at.state);
  const { operation } = part;
  const given = operation?.type === "Default" ? operation.operand.text : operation?.type === "Replace" ? operation.replacement.text : "";
  if (at.splits && expansion.value === null && /[*?[]/.test(given)) addOpenGlob(draft);
  else addValue(scope, draft, expansion, at);
}

function addValue(scope: Scope, draft: Draft, expansion: Expansion, at: Standing): void {
  const { value, reason, isList } = expansion;
  if (isZsh(scope) || mayStayWhole(scope, expansion, at)) addDynamic(draft, "parameter", true);
  else if (expansion.words !== undefined) addList(scope, draft, { words: expansion.words, isJoined: expansion.isJoined === true }, at);
  else if (expansion.glob !== undefined && !at.splits) addFileName(draft, expansion.glob);
  else if (expansion.start !== undefined) addFound(draft, expansion.start, at);
  else if (expansion.prefix !== undefined && !at.splits) addPrefix(draft, expansion.prefix, reason);
  else if (expansion.isNumeric === true) addNumber(draft, reason, at.splits);
  else if (value === null || (isList && !at.splits)) addDynamic(draft, reason, isList || (at.splits && reason !== "arithmetic"));
  else if (at.splits && isNegatedOtherwise(scope, value)) addOpenGlob(draft);
  else if (at.splits) addUnquotedValue(draft, value, separatorsAt(scope, value, at));
  else addLiteral(draft, value, true);
}

/** Adds the name of a file that another command found. Outside of quotes it is the start of its own list: a name may be a pattern that finds others beside it. */
function addFound(draft: Draft, start: string, at: Standing): void {
  if (at.place !== "operand") addDynamic(draft, "loop-variable", at.splits);
  else if (!at.splits) addFoundName(draft, start);
  else if (at.isWhole) draft.words.push(...pathsBelow(draft.span, start));
  else addDynamic(draft, "loop-variable", true);
}

/** What splitting and patterns leave as it is. */
const PLAIN = /^[^\s*?[\\]+$/;

/** Dash splits nothing of a redirection's target, where bash does. */
function mayStayWhole(scope: Scope, { value, words }: Expansion, at: Standing): boolean {
  if (scope.dialect !== "sh" || at.place !== "target" || !at.splits) return false;
  return words !== undefined || (value !== null && !(PLAIN.test(value) && hasDefaultSeparators(scope, at)));
}

/** What the value is split at; where it holds nothing to split at, it does not matter. */
function separatorsAt(scope: Scope, value: string, at: Standing): string | null {
  return knownValue(scope, "IFS", at.state) ?? (value === "" ? "" : null);
}

type List = { readonly words: readonly Word[]; /** `$*`. */ readonly isJoined: boolean };

/** Adds the words of `$@` or `$*`. */
function addList(scope: Scope, draft: Draft, { words, isJoined }: List, at: Standing): void {
  const staysOne = at.place === "value" || at.place === "text";
  if (staysOne || (isJoined && !at.splits)) addJoined(scope, draft, words, at);
  // Where a word of the list vanishes, its neighbours join what stands beside the list.
  else if (!at.isWhole && !words.every(isExactlyOne)) addDynamic(draft, "parameter", true);
  else if (at.splits) addSplit(scope, draft, words, at);
  else if (words.length > 0) addWords(draft, words);
  // Where there are no parameters, `"$@$x"` may vanish as a whole.
  else if (!at.isAlone) addDynamic(draft, "parameter", true);
}

/** One word of all, with a blank between them: with another `IFS` it may be something else. */
function addJoined(scope: Scope, draft: Draft, words: readonly Word[], at: Standing): void {
  const texts = words.flatMap((word) => (word.kind === "literal" ? [word.value] : []));
  const isKnown = texts.length === words.length && (words.length < 2 || hasDefaultSeparators(scope, at));
  if (isKnown) addLiteral(draft, texts.join(" "), true);
  else addDynamic(draft, "parameter", false);
}

function addSplit(scope: Scope, draft: Draft, words: readonly Word[], at: Standing): void {
  if (!hasDefaultSeparators(scope, at)) {
    addDynamic(draft, "parameter", true);
    return;
  }
  for (const [index, word] of words.entries()) {
    if (index > 0) flush(draft);
    if (word.kind === "literal" && isNegatedOtherwise(scope, word.value)) addOpenGlob(draft);
    else if (word.kind === "literal") addUnquotedValue(draft, word.value, DEFAULT_SEPARATORS);
    else addDynamic(draft, word.kind === "dynamic" ? word.reason : "parameter", true);
  }
}

function hasDefaultSeparators(scope: Scope, at: Standing): boolean {
  return knownValue(scope, "IFS", at.state) === DEFAULT_SEPARATORS;
}
