import type { Glob } from "../matching/glob.ts";

/**
 * How much work one comparison may be: who proposes a change of a policy writes its patterns, and must not keep whoever reviews it waiting. Counted in steps and
 * not in time, so two policies are told the same on every machine. A step is about one token of a pattern that is looked at.
 */
export class Budget {
  #left: number;

  constructor(steps: number) {
    this.#left = steps;
  }

  /** Takes so many steps before they are made. False: there are not so many, and there will be none again. */
  take(steps: number): boolean {
    this.#left = this.#left < steps ? 0 : this.#left - steps;
    return this.#left > 0;
  }

  get isSpent(): boolean {
    return this.#left === 0;
  }
}

/** `proof`: to prove which parts may loosen anything. `calls`: to decide calls by both policies. */
export type Steps = { readonly proof: number; readonly calls: number };

export const STEPS: Steps = { proof: 50_000_000, calls: 200_000_000 };

/** Why a part is told although nothing was found out about it. */
export const SPENT = "the policies take more steps to compare than a comparison may make";

/** A long text makes a pattern of many stars begin anew at many of its characters. */
const TOGETHER = 32;

/** About how many steps it is to match a text against patterns with so many tokens in all. */
export function matchSteps(characters: number, tokens: number): number {
  return 1 + Math.ceil((characters * tokens) / TOGETHER);
}

/** What one character costs at a token. */
export function tokenSteps(token: Glob[number] | undefined): number {
  return token?.kind === "class" ? 1 + token.ranges.length : 1;
}

const sizes = new WeakMap<Glob, number>();

/** What one character costs, were it held against each token. */
export function globSteps(glob: Glob): number {
  const known = sizes.get(glob);
  if (known !== undefined) return known;
  const steps = glob.reduce((sum, token) => sum + tokenSteps(token), 0);
  sizes.set(glob, steps);
  return steps;
}
