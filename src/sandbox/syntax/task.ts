/** What the process that reads source text is asked: a line of JSON, its answers are a line for each file. */

export type SourceText = { readonly path: string; readonly language: string; readonly text: string };

export type SyntaxTask =
  /** Everything that a file defines. */
  | { readonly kind: "outline"; readonly files: readonly SourceText[] }
  /** Where a name is defined and used. */
  | { readonly kind: "name"; readonly name: string; readonly files: readonly SourceText[] }
  /** What a pattern of code matches; and, unless `rewrite` is null, the text with that in place of each match. */
  | { readonly kind: "pattern"; readonly pattern: string; readonly rewrite: string | null; readonly files: readonly SourceText[] };

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
  /** Of a name, or the matches of a pattern. */
  readonly uses: readonly Place[];
  /** The whole text as it would be; null: nothing was to be rewritten, or nothing matches. */
  readonly rewritten: string | null;
  /** There is more than is listed. */
  readonly isCut: boolean;
  /** Parts of the text are not of its language's grammar. */
  readonly hasErrors: boolean;
};

export const MOST_DEFINITIONS = 2000;
export const MOST_USES = 500;
/** Characters of a line that is shown. */
const MOST_LINE_CHARACTERS = 160;

export const TOO_LONG = "it took too long to parse";

export function unread(path: string, problem: string): FileAnswer {
  return { path, problem, definitions: [], uses: [], rewritten: null, isCut: false, hasErrors: false };
}

/** A line of a text as it is shown. */
export function shownLine(line: string): string {
  const text = line.trim();
  return text.length > MOST_LINE_CHARACTERS ? `${text.slice(0, MOST_LINE_CHARACTERS)}…` : text;
}

const VARIABLE = /\$\$\$([A-Z_][A-Z0-9_]*)|\$([A-Z_][A-Z0-9_]*)/gu;

/** The variables of a pattern or of what takes its place: `$A` stands for one node, `$$$A` for any number. */
export function variablesOf(pattern: string): readonly string[] {
  return [...new Set([...pattern.matchAll(VARIABLE)].map(([variable]) => variable))];
}

/** The text with a value for each of its variables. */
export function withVariables(text: string, valueOf: (name: string, isMany: boolean) => string): string {
  return text.replaceAll(VARIABLE, (_variable, many: string | undefined, one: string | undefined) => valueOf(many ?? one ?? "", many !== undefined));
}
