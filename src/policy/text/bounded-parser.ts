import { Composer, Lexer, LineCounter, Parser, type Document } from "yaml";

/** Keys, values, marks, spaces and ends of lines of a whole file. A policy of 10,000 rules with examples has 500,000; each costs the parser some microseconds. */
const MAX_PARTS = 1_000_000;
/** Lists and maps within each other. The language needs eight; the parser calls itself for each. */
const MAX_DEPTH = 100;
const MAX_DIRECTIVES = 10;

/** A document, and where its lines begin; or what was too much and at which offset the parser stopped. */
export type BoundedParse =
  | { readonly document: Document.Parsed; /** Where a second document begins, or null. */ readonly secondAt: number | null; readonly lines: LineCounter }
  | { readonly excess: string; readonly remedy: string; readonly at: number; readonly lines: LineCounter };

class Excess extends Error {
  readonly remedy: string;
  readonly at: number;
  constructor(message: string, remedy: string, at: number) {
    super(message);
    this.remedy = remedy;
    this.at = at;
  }
}

/** Parses YAML, and stops where the text holds more than any file of ours: a file of a few megabytes can otherwise keep the parser busy for minutes. */
export function parseBounded(source: string): BoundedParse {
  const lines = new LineCounter();
  const composer = new Composer({ prettyErrors: false, strict: true, uniqueKeys: false, version: "1.2", stringKeys: true });
  let document: Document.Parsed | null = null;
  try {
    for (const each of composer.compose(tokensOf(source, lines), true, source.length)) {
      if (document !== null) return { document, secondAt: each.range[0], lines };
      document = each;
    }
  } catch (error) {
    if (!(error instanceof Excess)) throw error;
    return { excess: error.message, remedy: error.remedy, at: error.at, lines };
  }
  // The composer is told to give a document even of an empty text.
  return { document: document as unknown as Document.Parsed, secondAt: null, lines };
}

function* tokensOf(source: string, lines: LineCounter): ReturnType<Parser["parse"]> {
  const parser = new Parser(lines.addNewLine);
  let parts = 0;
  let directives = 0;
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(source)) {
    parts += 1;
    if (parts > MAX_PARTS)
      throw new Excess(
        "The file holds more than 1,000,000 words, marks and ends of lines.",
        "Leave out what is not needed, or split it with `extends`.",
        parser.offset,
      );
    if (lexeme.startsWith("%")) directives += 1;
    if (directives > MAX_DIRECTIVES)
      throw new Excess(`The file has more than ${MAX_DIRECTIVES} directives.`, "Leave out the lines that begin with `%`.", parser.offset);
    yield* parser.next(lexeme);
    if (parser.stack.length > MAX_DEPTH)
      throw new Excess("Lists and maps are nested too deep.", "No key of the language needs more than a few levels.", parser.offset);
  }
  yield* parser.end();
}
