import { mayHoldBraces } from "./braces.ts";
import { withoutEscapes } from "../text/characters.ts";
import type { WordNode, WordPart } from "../text/parse.ts";

/** Whether the parts of a word are all of it: behind `{x[0]}` the parser drops a process substitution. */
export function isCovered(node: WordNode, parts: readonly WordPart[]): boolean {
  let at = node.pos;
  for (const part of parts) {
    if (part.pos !== at) return false;
    at = part.end;
  }
  return at === node.end;
}

/** A text from the first such sign on; empty where there is none. */
export function textFrom(sign: string, text: string): string {
  const at = text.indexOf(sign);
  return at < 0 ? "" : text.slice(at);
}

/**
 * Brace expansion comes first and pairs quotes as if `${…}` and backticks did not nest them: `"${x='"'}{a,b}"` and
 * `"${x:-"{a,b}"}"` become two words. Where both stand in a word, what is quoted is not decided.
 */
export function mayPairQuotesOtherwise(node: WordNode): boolean {
  return mayHoldBraces(node.text) && (/`[^`]*['"\\]/.test(node.text) || node.parts?.some(nestsQuotes) === true);
}

function nestsQuotes(part: WordPart): boolean {
  if (part.type === "DoubleQuoted" || part.type === "LocaleString") return part.parts.some(nestsQuotes);
  return part.type === "BraceExpansion" ? /\$\{[^]*['"`\\]/.test(part.text) : part.type === "ParameterExpansion" && /['"`\\]/.test(part.text);
}

/** Bash 5.2 splits nothing of a word in which a `$` stands for itself, or `$!`, where no process is known. */
export function keepsWhole(parts: readonly WordPart[]): boolean {
  for (const part of parts) if (keepsAllWhole(part)) return true;
  return false;
}

function keepsAllWhole({ type, text }: WordPart): boolean {
  if (type === "Glob") return text.includes("$");
  if (type === "Literal") return withoutEscapes(text).includes("$");
  return text.startsWith("$") && /^\$(?:!$|\{!\W)/.test(text);
}

/** The parts of a word that are neither quoted nor expanded, with a letter in the place of each other. */
export function plainTextOf(parts: readonly WordPart[]): string {
  return parts.map((part) => (part.type === "Literal" ? withoutEscapes(part.text) : "x")).join("");
}

export function isBraces(part: WordPart): boolean {
  return part.type === "BraceExpansion";
}
