import type { Span, Word } from "../model.ts";

/** A starting point and what is below. Twice: programs give their first and their last word different roles. */
export function pathsBelow(span: Span, start: string): (Word & { readonly kind: "pattern" })[] {
  const pattern = { kind: "pattern", glob: globBelow(start), root: start, span } as const;
  return [pattern, pattern];
}

/** Every path below a starting point. */
export function globBelow(start: string): string {
  return `${start.replace(/[\\*?[\]()|!+@]/g, "\\$&").replace(/\/$/, "")}/**`;
}
