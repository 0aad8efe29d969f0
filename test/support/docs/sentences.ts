import MarkdownIt from "markdown-it";

/** A sentence of a page, with the line on which it begins. */
export type Sentence = { readonly line: number; readonly text: string; readonly words: number };

/** A piece of text that a reader takes in one go: a paragraph, a heading, a list item's paragraph or a table cell. */
type Piece = { readonly line: number; readonly text: string; readonly isCode: readonly boolean[] };

export const markdown = new MarkdownIt({ html: true });

/** A full stop ends a sentence only before something that begins one, so that neither `0.5` nor a file's name does. */
const SENTENCE_END = /(?<=[.!?][)\]"'”’]*)\s+(?=[("'“‘[]*[\p{Lu}\p{N}])/gu;

type Token = ReturnType<typeof markdown.parse>[number];

function pieceOf(line: number, tokens: readonly Token[]): Piece {
  let text = "";
  const isCode: boolean[] = [];
  for (const { type, content, children } of tokens) {
    let added = "";
    if (type === "text" || type === "code_inline") added = content;
    else if (type === "softbreak" || type === "hardbreak") added = "\n";
    else if (type === "image") added = pieceOf(line, children ?? []).text;
    text += added;
    for (let index = 0; index < added.length; index += 1) isCode.push(type === "code_inline");
  }
  return { line, text, isCode };
}

function piecesOf(page: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let line = 1;
  for (const token of markdown.parse(page, {})) {
    if (token.map !== null) line = token.map[0] + 1;
    if (token.type === "inline") pieces.push(pieceOf(line, token.children ?? []));
    else if (token.type === "html_block") {
      const text = token.content.replaceAll(/<!--[\s\S]*?-->|<[^>]*>/gu, " ").trim();
      pieces.push({ line, text, isCode: Array.from(text, () => false) });
    }
  }
  return pieces;
}

/** A word is what stands between blanks and holds a letter or a digit; code within a sentence is read like its other words. */
export const wordsOf = (text: string): number => text.split(/\s+/u).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

function sentencesOfPiece({ line, text, isCode }: Piece): readonly Sentence[] {
  // To what looks for the end of a sentence code is one capitalised word, whatever stands in it.
  const shape = text
    .split("")
    .map((character, index) => (isCode[index] === true ? "X" : character))
    .join("");
  const sentences: Sentence[] = [];
  let start = 0;
  for (const end of [...shape.matchAll(SENTENCE_END)]
    .map((match) => ({ at: match.index, next: match.index + match[0].length }))
    .concat({ at: text.length, next: text.length })) {
    const own = text.slice(start, end.at);
    const before = text.slice(0, start).split("\n").length - 1;
    if (wordsOf(own) > 0) sentences.push({ line: line + before, text: own.replaceAll(/\s+/gu, " ").trim(), words: wordsOf(own) });
    start = end.next;
  }
  return sentences;
}

/**
 * The sentences of a page in Markdown. Each heading, list item and table cell is at least one of its own; code blocks,
 * and cells that are code and nothing else, are none. A colon or a semicolon does not end a sentence.
 */
export function sentencesOf(page: string): readonly Sentence[] {
  return piecesOf(page)
    .filter(({ isCode }) => isCode.includes(false))
    .flatMap(sentencesOfPiece);
}
