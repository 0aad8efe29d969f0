import type { Glob, GlobToken } from "./glob.ts";

const ASCII = 128;
const EACH: readonly number[] = Array.from({ length: ASCII }, (_, code) => code);

/**
 * A quick test whether any of many globs may match a name, by its first and last characters: two kilobytes of tables, and nothing is cut
 * out of the path.
 */
export class NameFilter {
  readonly #ends = new Uint32Array((ASCII * ASCII) / 32);
  readonly #tails = new Uint32Array((ASCII * ASCII) / 32);

  /** Null is a glob that matches any name. */
  constructor(globs: readonly (Glob | null)[]) {
    for (const glob of globs) {
      const [head, before, tail] = [codesOf(glob?.[0]), codesOf(glob?.at(-2)), codesOf(glob?.at(-1))];
      if (head !== null || tail === null) addPairs(this.#ends, head ?? EACH, tail ?? EACH);
      else addPairs(this.#tails, before ?? EACH, tail);
    }
  }

  /** Whether the name that stands in a path from `start` to `end` may be matched. One with anything but ASCII at its ends always may. */
  mayMatch(path: string, start: number, end: number): boolean {
    const head = path.charCodeAt(start);
    const before = path.charCodeAt(end - 2);
    const tail = path.charCodeAt(end - 1);
    return (head | before | tail) >= ASCII || hasPair(this.#ends, head, tail) || hasPair(this.#tails, before, tail);
  }
}

/** The one character that a token stands for, when it is ASCII; null when it may be any. */
function codesOf(token: GlobToken | undefined): readonly number[] | null {
  return token?.kind === "character" ? [token.value.charCodeAt(0)].filter((code) => code < ASCII) : null;
}

function addPairs(set: Uint32Array, ones: readonly number[], others: readonly number[]): void {
  for (const one of ones) for (const other of others) set[(one * ASCII + other) >> 5] = (set[(one * ASCII + other) >> 5] ?? 0) | (1 << (other & 31));
}

function hasPair(set: Uint32Array, one: number, other: number): boolean {
  return ((set[(one * ASCII + other) >> 5] ?? 0) & (1 << (other & 31))) !== 0;
}
