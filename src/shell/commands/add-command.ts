import { impliedEffects } from "../effects/operands/sensitive-paths.ts";
import { pathContext } from "../effects/operands/paths.ts";
import { effectOf, type NewEffect } from "../model/effects.ts";
import { redirectionEffects } from "./redirections.ts";
import type { Effect, Redirection, SimpleCommand, Span, Stdin, Word, WorkingDirectory } from "../model/model.ts";
import type { State } from "../state/state.ts";
import type { Scope } from "../state/walk.ts";

export type NewSimple = {
  readonly argv: readonly Word[];
  readonly assignments: SimpleCommand["assignments"];
  readonly redirections: readonly Redirection[];
  readonly stdin: Stdin;
  readonly span: Span;
};

const NO_ASSIGNMENTS: SimpleCommand["assignments"] = [];
const NO_REDIRECTIONS: readonly Redirection[] = [];

/** A command that has nothing but words. */
export function bareSimple(scope: Scope, argv: readonly Word[], span: Span): NewSimple {
  return { argv, assignments: NO_ASSIGNMENTS, redirections: NO_REDIRECTIONS, stdin: scope.stdin, span };
}

/** Adds a simple command to the model, with the effects of its redirections. Gives its index. */
export function recordSimple(scope: Scope, state: State, added: NewSimple): number {
  const { walk } = scope;
  const first = added.argv[0];
  const simple: SimpleCommand = {
    argv: added.argv,
    program: first?.kind === "literal" ? first.value : null,
    assignments: added.assignments,
    redirections: added.redirections,
    stdin: added.stdin,
    via: scope.via,
    contexts: scope.contexts,
    cwd: directoryOf(state),
    span: added.span,
  };
  const index = walk.simples.push(scope.through === undefined ? simple : { ...simple, through: scope.through }) - 1;
  if (added.redirections.length > 0) {
    for (const [at, variant] of variantsOf(simple, state).entries()) {
      addEffects(scope, index, redirectionEffects(added.redirections, pathContext(variant, walk.context.home)), at > 0);
    }
  }
  return index;
}

/**
 * The command once for each directory that it may stand in, so that its effects can be named for all of
 * them: after `cd build; make`, `make` runs in `build` or, when that is missing, where it was.
 */
export function variantsOf(simple: SimpleCommand, state: State): readonly SimpleCommand[] {
  const { directories } = state;
  if (directories === null || directories.length < 2) return [simple];
  return directories.map((path) => ({ ...simple, cwd: { kind: "known", path } }));
}

/** Adds effects of a simple command. Those of a further directory (`isFurther`) are added where they differ. */
export function addEffects(scope: Scope, simple: number, effects: readonly NewEffect[], isFurther = false): void {
  for (const effect of effects) {
    addEffect(scope, simple, effect, isFurther);
    for (const implied of impliedEffects(effect)) addEffect(scope, simple, implied, isFurther);
  }
}

function addEffect({ walk: { effects }, through }: Scope, simple: number, added: NewEffect, isFurther: boolean): void {
  const effect = effectOf(simple, added, through);
  if (!isFurther || !isRepeated(effects, simple, effect)) effects.push(effect);
}

function isRepeated(effects: readonly Effect[], simple: number, added: NewEffect): boolean {
  for (let index = effects.length - 1; index >= 0; index -= 1) {
    const effect = effects[index];
    if (effect === undefined || effect.simple !== simple) return false;
    if (effect.kind === added.kind && effect.cause === added.cause && effect.span.start === added.span.start && samePlace(effect, added)) return true;
  }
  return false;
}

function samePlace(one: NewEffect, other: NewEffect): boolean {
  return JSON.stringify([one.path, one.host, one.through]) === JSON.stringify([other.path, other.host, other.through]) && one.isWide === other.isWide;
}

const UNKNOWN_DIRECTORY: WorkingDirectory = { kind: "unknown", reason: "a `cd` before it cannot be followed" };
const UNCERTAIN_DIRECTORY: WorkingDirectory = { kind: "unknown", reason: "a `cd` before it may have failed" };

function directoryOf(state: State): WorkingDirectory {
  const { directories } = state;
  if (directories === null || directories[0] === undefined) return UNKNOWN_DIRECTORY;
  return directories.length === 1 ? { kind: "known", path: directories[0] } : UNCERTAIN_DIRECTORY;
}
