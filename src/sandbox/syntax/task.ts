/** What the process that reads source text is asked: a line of JSON, its answers are a line for each file. */

export type SourceText = { readonly path: string; readonly language: string; readonly text: string };

export type SyntaxTask =
  /** Everything that a file defines. */
  | { readonly kind: "outline"; readonly files: readonly SourceText[] }
  /** Where a name is defined and used. */
  | { readonly kind: "name"; readonly name: string; readonly files: readonly SourceText[] };

/** Lines are counted from 1, columns from 1 in UTF-16 units. */
export type Place = { readonly line: number; readonly column: number; readonly text: string };

export type Definition = {
  readonly kind: string;
  readonly name: string;
  readonly fromLine: number;
  readonly toLine: number;
  /** How many definitions it lies in. */
  readonly depth: number;
  /** Its first line. */
  readonly text: string;
};

export type FileAnswer = {
  readonly path: string;
  /** Null: it was read. */
  readonly problem: string | null;
  readonly definitions: readonly Definition[];
  readonly uses: readonly Place[];
  /** There is more than is listed. */
  readonly isCut: boolean;
  /** Parts of the text are not of its language's grammar. */
  readonly hasErrors: boolean;
};

export const MOST_DEFINITIONS = 2000;
export const MOST_USES = 500;
/** Characters of a line that is shown. */
export const MOST_LINE_CHARACTERS = 160;

export function unread(path: string, problem: string): FileAnswer {
  return { path, problem, definitions: [], uses: [], isCut: false, hasErrors: false };
}
