import type { EffectKind } from "../../programs/effect.ts";
import type { Effect, PathOperand, Span } from "./model.ts";

/** What a command does, before it is known which command of the text it is. */
export type NewEffect = Omit<Effect, "simple">;

/** Every effect has the same fields in the same order, as words have (`words.ts`). What else is to be said is said in a copy. */
export function newEffect(kind: EffectKind, cause: string, span: Span, path?: PathOperand): NewEffect {
  return { kind, cause, span, path, isWide: undefined, host: undefined, through: undefined };
}

/** The effect of a simple command (-1: of the text as a whole). Written out: to copy an object key by key takes V8 several times as long. */
export function effectOf(simple: number, { kind, cause, span, path, isWide, host, through: own }: NewEffect, through?: Effect["through"]): Effect {
  return { kind, simple, cause, span, path, isWide, host, through: own ?? through };
}

/** It leaves files and programs as they are. */
export function isQuietEffect({ kind, path }: Effect): boolean {
  return kind === "reads" || kind === "connects" || (kind === "writes" && path?.kind === "literal" && path.path === "/dev/null");
}
