import { patternWord } from "../model/make-word.ts";
import type { Span, Word } from "../model/model.ts";

/** A starting point and what is below. Twice: programs give their first and their last word different roles. */
export function pathsBelow(span: Span, start: string): (Word & { readonly kind: "pattern" })[] {
  const pattern = patternWord(globBelow(start), span, { root: start });
  return [pattern, pattern];
}

/** Every path below a starting point. */
export function globBelow(start: string): string {
  return `${start.replace(/[\\*?[\]()|!+@]/g, "\\$&").replace(/\/$/, "")}/**`;
}
