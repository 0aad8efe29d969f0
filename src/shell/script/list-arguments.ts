import { BUILTINS } from "../builtins/builtins.ts";
import { TAKES_NAMES } from "../effects/operands/file-names.ts";
import { isListed, readLists } from "../words/printed-names.ts";
import type { OddNames, Word } from "../model/model.ts";
import type { Scope } from "../state/walk.ts";

/** The other ways to read a command that gets words from a list of names. */
type OtherWords = {
  /** Those that it has where the list is empty. */ readonly without: readonly Word[];
  /** Those that it has where a name becomes other words. */ readonly open: readonly Word[];
  readonly through: OddNames;
};

export type ListedCommand = { readonly argv: readonly Word[]; readonly others: OtherWords | null };

/** Only one list counts, and only for a program: what a builtin or a function of the text makes of one is not followed. */
export function readListedWords({ walk }: Scope, words: readonly Word[]): ListedCommand {
  const { certain, open, through } = readLists(words);
  const [first] = words;
  const name = first?.kind === "literal" ? first.value : null;
  const isProgram = name !== null && !BUILTINS.has(name) && !walk.assumptions.functions.has(name);
  if (!isProgram || through === null || (through.as !== "paths" && !TAKES_NAMES.has(name))) return { argv: open, others: null };
  let at = 0;
  const argv = words.map((word) => (isListed(word) ? (certain[at++] ?? word) : word));
  return { argv, others: { without: words.filter((word) => !isListed(word)), open, through } };
}
