/**
 * Whether tests that repeat much do all of it: rounds of kills, every time zone, every attack on every runtime. A usual run takes a fixed
 * slice, the same each time; `npm run soak -- tests` takes the whole.
 */
export const isWhole = process.env["TEST_EXTENT"] === "whole";

/** How often something is done: in a usual run, and in a whole one. */
export function rounds(few: number, many: number): number {
  return isWhole ? many : few;
}

/** Every so-many-th of a list, always the same ones; all of it in a whole run. */
export function sliceOf<Item>(all: readonly Item[], every: number): readonly Item[] {
  return isWhole ? all : all.filter((_item, index) => index % every === 0);
}
