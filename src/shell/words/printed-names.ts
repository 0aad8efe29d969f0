import { pathsBelow, dynamicWord } from "../model/words.ts";
import { listsCommits } from "../effects/output/commit-lists.ts";
import { isQuiet, nameListOf, oddNames, placesOf } from "../effects/output/name-lists.ts";
import type { OddNames, SimpleCommand, Span, Word } from "../model/model.ts";
import type { ParsedScript } from "../text/parse.ts";
import type { State } from "../state/state.ts";
import { DEFAULT_SEPARATORS, knownValue, mayLose, mayPrintTrap } from "../state/variables.ts";
import type { Scope } from "../state/walk.ts";

/** Where a substitution stands that was just read: `from` is where its simple commands begin. */
type Place = { readonly from: number; readonly state: State; readonly span: Span };

/**
 * The words of an unquoted substitution that prints nothing but names of files: `$(find . -name '*.ts' | sort)`. Each word holds the condition under
 * which a name would become other words. A pattern in a name matches only files beside it that begin as it does.
 */
export function listedWords(scope: Scope, script: ParsedScript | undefined, { from, state, span }: Place): readonly Word[] | null {
  const pipe = pipeOf(scope, script, from);
  const list = pipe === null ? null : nameListOf(pipe, "newline");
  if (pipe === null || list === null || !isSplitAsUsual(scope, state)) return null;
  const unless = oddNames(list, pipe, scope.walk.context.home);
  if (unless === null) return null;
  noteFeeders(scope, pipe);
  return placesOf(list)
    .flatMap((start) => pathsBelow(span, start))
    .map((word) => ({ ...word, unless }));
}

// What date prints digits for, and signs between them, from the first one on: nothing that is padded, and no year before our era.
const STAMP =
  /^(?:(?:-u|--utc|(?:-d |--date=)(?:now|today|yesterday|tomorrow|[-+]?\d{1,3} [a-z]+(?: ago)?|last [a-z]+|(?:19|20)\d\d-\d\d-\d\d)) )*\+%[YmdHMSjFTR](?:%[YmdHMSjFTR]|[-_.:T])*$/;

/**
 * What a substitution can only give: `commits`, names of them, or `HEAD` and what follows it; `stamp`, digits and signs of a date. Or nothing. Null: whatever
 * it likes. None holds a blank, the sign of a pattern or a slash.
 */
export function givenNames(scope: Scope, script: ParsedScript | undefined, { from, state }: Omit<Place, "span">): "commits" | "stamp" | null {
  const pipe = pipeOf(scope, script, from);
  const given = pipe === null ? null : listsCommits(pipe) ? "commits" : printsStamp(pipe) ? "stamp" : null;
  if (pipe === null || given === null || !isSplitAsUsual(scope, state)) return null;
  noteFeeders(scope, pipe);
  return given;
}

function printsStamp([only, ...others]: readonly SimpleCommand[]): boolean {
  if (only?.program !== "date" || others.length > 0 || !isQuiet(only)) return false;
  const texts = only.argv.slice(1).flatMap((word) => (word.kind === "literal" ? word.value : []));
  return texts.length === only.argv.length - 1 && STAMP.test(texts.join(" "));
}

/** What a substitution prints is split at blanks, and nothing else stands in it. */
function isSplitAsUsual(scope: Scope, state: State): boolean {
  if (scope.dialect !== "bash" || mayLose(scope) || mayPrintTrap(scope) || scope.walk.assumptions.inputIsReplaced) return false;
  return knownValue(scope, "IFS", state) === DEFAULT_SEPARATORS;
}

/** Their output is taken for what their words say: no function may stand in their place. */
function noteFeeders({ walk: { found } }: Scope, pipe: readonly SimpleCommand[]): void {
  for (const { program } of pipe) if (program !== null) (found.feeders ??= new Set()).add(program);
}

/** The commands of a substitution that is one pipe, each of which was read as one command, and nothing else was read in it. */
function pipeOf({ walk: { simples } }: Scope, script: ParsedScript | undefined, from: number): readonly SimpleCommand[] | null {
  if (script === undefined) return null;
  const { commands, source, errors } = script;
  const [only, ...others] = commands;
  if (only === undefined || others.length > 0 || only.background === true || source !== undefined || errors !== undefined) return null;
  const { command } = only;
  const parts = command.type === "Pipeline" && command.prefixes.length === 0 ? command.commands : [command];
  if (!parts.every((part) => part.type === "Command" && part.name !== undefined) || simples.length !== from + parts.length) return null;
  const pipe = simples.slice(from);
  const isPiped = ({ stdin }: SimpleCommand, index: number): boolean =>
    index === 0 || (stdin.kind === "pipe" && stdin.isAlone === true && stdin.from === from + index - 1);
  return pipe.every(isPiped) ? pipe : null;
}

type ListedWord = Word & { readonly kind: "pattern"; readonly unless: OddNames };

/** Whether a word stands for the names of a list. */
export function isListed(word: Word): word is ListedWord {
  return word.kind === "pattern" && word.unless !== undefined;
}

type Lists = {
  /** The words of the lists alone, as names of files. */
  readonly certain: readonly (Word & { readonly kind: "pattern" })[];
  /** All words, where nobody knows what the lists hold. */
  readonly open: readonly Word[];
  /** Where the words are these; null where there are several lists. */
  readonly through: OddNames | null;
};

/** Words among which are those of lists. */
export function readLists(words: readonly Word[]): Lists {
  const lists = words.filter(isListed);
  const certain = lists.map((word) => ({ ...word, unless: undefined }));
  const open = words.map((word): Word => (isListed(word) ? dynamicWord("command-substitution", "", word.span) : word));
  const conditions = new Set(lists.map(({ unless }) => unless));
  const [through = null] = conditions;
  return { certain, open, through: conditions.size === 1 ? through : null };
}
