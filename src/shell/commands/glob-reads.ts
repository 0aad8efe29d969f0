import { listedPaths } from "../effects/operands/paths.ts";
import { newEffect } from "../model/effects.ts";
import type { Effect, PathOperand, Span, Word } from "../model/model.ts";
import { addEffects, recordSimple } from "./add-command.ts";
import type { State } from "../state/state.ts";
import type { Scope } from "../state/walk.ts";

type Standing = { readonly state: State; /** Where the effects of the command begin. */ readonly from: number };

/**
 * Expanding a pattern reads the names in a directory, as `ls` does. A pattern whose files the command itself reads, writes or deletes needs no
 * effect of its own.
 */
export function readListings(scope: Scope, words: readonly Word[], at: Standing & { readonly index: number }): void {
  const listed = listingsOf(scope, words, at);
  if (listed.length > 0) addEffects(scope, at.index, listed);
}

/** The same for words that become the value of a variable: those of a loop, and of an array. They have a command without a program. */
export function readAssignedListings(scope: Scope, name: string, words: readonly Word[], at: Standing & { readonly span: Span }): void {
  const listed = listingsOf(scope, words, at);
  if (listed.length === 0) return;
  const assignments = words.filter(isListing).map((value) => ({ name, value, append: false, span: value.span }));
  const index = recordSimple(scope, at.state, { argv: [], assignments, redirections: [], stdin: { kind: "inherited" }, span: at.span });
  addEffects(scope, index, listed);
}

function listingsOf({ walk }: Scope, words: readonly Word[], { state, from }: Standing): readonly Omit<Effect, "simple">[] {
  if (!words.some(isListing)) return [];
  const lists = words.filter(isListing);
  const named = namedPaths(walk.effects, from);
  const effects: Omit<Effect, "simple">[] = [];
  for (const directory of state.directories ?? [null]) {
    for (const word of lists) {
      for (const { whole, listed } of listedPaths(word, { directory, home: walk.context.home })) {
        if (named.has(keyOf(whole)) || named.has(keyOf(listed))) continue;
        named.add(keyOf(listed));
        effects.push(newEffect("reads", "a pattern lists the names in a directory", word.span, listed));
      }
    }
  }
  return effects;
}

function isListing(word: Word): boolean {
  return word.kind === "pattern" ? word.root === undefined : word.kind === "dynamic" && word.isPattern === true;
}

function namedPaths(effects: readonly Effect[], from: number): Set<string> {
  const named = new Set<string>();
  for (let at = from; at < effects.length; at += 1) {
    const path = effects[at]?.path;
    if (path !== undefined && path.kind !== "literal") named.add(keyOf(path));
  }
  return named;
}

function keyOf(path: PathOperand): string {
  if (path.kind === "dynamic") return "…";
  return `${path.kind} ${path.kind === "literal" ? path.path : path.glob}`;
}
