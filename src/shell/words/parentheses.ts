import { withoutEscapes } from "../text/characters.ts";
import type { WordNode, WordPart } from "../text/parse.ts";
import type { Scope } from "../state/walk.ts";
import { addUndecidable, spanOf } from "../state/scope.ts";

/** Bash refuses a parenthesis among braces, behind `<<<` and in the name of a file, which the parser takes for a part of the word. */
export function checkParentheses(scope: Scope, node: WordNode): void {
  const unquoted = node.text.replace(/'[^']*'|"(?:[^"\\]|\\[^])*"/g, "");
  if (/(?<![$<>(])\(/.test(unquoted)) addUndecidable(scope, "unsupported-syntax", spanOf(scope, node));
}

/** Where bash takes `+(a)` for a pattern only with the option `extglob`, it refuses it without, in brackets too. */
export function checkExtendedGlob(scope: Scope, node: WordNode): void {
  const isRefused = (part: WordPart): boolean => part.type === "ExtendedGlob" || (part.type === "Glob" && bracketed(part).some(holdsParenthesis));
  if (node.parts?.some(isRefused) === true) addUndecidable(scope, "unsupported-syntax", spanOf(scope, node));
}

/** What stands between the brackets of a pattern. */
export function bracketed(part: WordPart & { type: "Glob" }): readonly WordPart[] {
  return part.kind === "bracket" ? part.parts : [];
}

export function holdsParenthesis(part: WordPart): boolean {
  return part.type === "ExtendedGlob" || (part.type === "Literal" && /[()]/.test(withoutEscapes(part.text)));
}
