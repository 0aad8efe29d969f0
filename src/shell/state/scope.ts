import { LIMITS } from "../model/limits.ts";
import { effectOf, newEffect } from "../model/effects.ts";
import type { CommandContext, Span, Stdin, UndecidableCode } from "../model/model.ts";
import { explainUndecidable } from "../model/undecidable.ts";
import type { Scope, Walk } from "./walk.ts";

/** Where a node stands in the text that was given to the analysis. */
export function spanOf(scope: Scope, node: { readonly pos: number; readonly end: number }): Span {
  return spanAt(scope, node.pos, node.end);
}

/** The same of a node that is known by its positions: what reads nodes of one kind reads theirs in place. */
export function spanAt({ source: { text, outer } }: Scope, pos: number, end: number): Span {
  // Where the text ends too early, the parser's positions may lie behind its end.
  return outer ?? { start: Math.min(pos, text.length), end: Math.min(end, text.length) };
}

/** A key for a place in a source, the same whenever the place is visited. */
export function placeOf(scope: Scope, position: number | string): string {
  return `${scope.source.id}:${position}`;
}

/** The standard input of several commands: what one of them takes, the next does not see, so its text is not known. */
export function shared(stdin: Stdin): Stdin {
  if (stdin.kind === "pipe") return { kind: "pipe", from: stdin.from };
  return stdin.kind === "text" ? { kind: "inherited" } : stdin;
}

/** Reads what runs in a process of its own, or another time: it neither changes the directory nor the parameters here, nor ends the line. */
export function apart<Result>(walk: Walk, read: () => Result): Result {
  const { moves, shifts, stopped } = walk;
  const result = read();
  walk.moves = moves;
  walk.shifts = shifts;
  walk.stopped = stopped;
  return result;
}

/** A shell of its own, which does not know the functions of the others. */
export function newShell(walk: Walk): number {
  walk.shells += 1;
  return walk.shells;
}

export function within(scope: Scope, context: CommandContext): Scope {
  return { ...scope, contexts: [...scope.contexts, context], depth: scope.depth + 1 };
}

/** Records that something cannot be decided; it becomes an effect as well, so that no verdict can overlook it. */
export function addUndecidable(scope: { readonly walk: Walk }, code: UndecidableCode, span: Span, simple = -1): void {
  const { walk } = scope;
  const last = walk.undecidable.at(-1);
  if (last !== undefined && last.code === code && last.span.start === span.start && last.span.end === span.end) return;
  const text = walk.text.slice(span.start, Math.min(span.end, span.start + 80));
  walk.undecidable.push({ code, span, text });
  walk.effects.push(effectOf(simple, newEffect("undecidable", explainUndecidable(code, text), span)));
}

/** Takes one node from the budget; false when it is spent, and then nothing below may be read as complete. */
export function spendNode(scope: Scope, node: { readonly pos: number; readonly end: number }): boolean {
  const { walk } = scope;
  walk.nodesLeft -= 1;
  if (walk.nodesLeft < 0) {
    if (walk.nodesLeft === -1) addUndecidable(scope, "too-many-nodes", spanOf(scope, node));
    return false;
  }
  if (scope.depth > LIMITS.maxDepth) {
    addUndecidable(scope, "too-deep", spanOf(scope, node));
    return false;
  }
  return true;
}

/** Takes more nodes from the budget: the next one that is read is refused where none is left. */
export function spendNodes({ walk }: Scope, count: number): void {
  if (count > 0) walk.nodesLeft = Math.min(walk.nodesLeft, Math.max(0, walk.nodesLeft - count));
}

/** Whether a function runs here for certain, and not a shell or a trap within one. */
export function isInFunction({ contexts }: Scope): boolean {
  const at = contexts.lastIndexOf("function");
  return at >= 0 && at > contexts.lastIndexOf("nested-shell") && at > contexts.lastIndexOf("trap");
}
