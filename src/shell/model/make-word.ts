import type { DynamicReason, Span, Word } from "./model.ts";

// Every word of a kind has the same fields in the same order, also those that are not set: V8 reads a field of objects of three shapes in place,
// and looks it up where there are more. A change of one field (`{ ...word, prefix }`) keeps the shape.

type DynamicWord = Word & { readonly kind: "dynamic" };
type PatternWord = Word & { readonly kind: "pattern" };

type Certain = Pick<DynamicWord, "isSingle" | "isAbsent" | "isNumeric" | "isSeveral" | "isCommit" | "isPattern" | "content" | "isPipe">;

const NOTHING: Certain = {};
const ONE: Certain = { isSingle: true };

/** A word whose value is not known: what it is certain to begin with, and what else is certain of it. */
export function dynamicWord(reason: DynamicReason, prefix: string, span: Span, certain: Certain = NOTHING): DynamicWord {
  const { isSingle, isAbsent, isNumeric, isSeveral, isCommit, isPattern, content, isPipe } = certain;
  return { kind: "dynamic", reason, prefix, isSingle, isAbsent, isNumeric, isSeveral, isCommit, isPattern, content, isPipe, span };
}

/** The same of what stays exactly one word. */
export function openWord(reason: DynamicReason, prefix: string, span: Span): DynamicWord {
  return dynamicWord(reason, prefix, span, ONE);
}

const NO_MORE: Pick<PatternWord, "root" | "unless" | "isSingle"> = {};

/** A word that names the files that a glob matches. */
export function patternWord(glob: string, span: Span, more: Pick<PatternWord, "root" | "unless" | "isSingle"> = NO_MORE): PatternWord {
  const { root, unless, isSingle } = more;
  return { kind: "pattern", glob, root, unless, isSingle, span };
}
