import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Budget } from "../../../src/policy/comparing/budget.ts";
import { classesWithin } from "../../../src/policy/comparing/glob-classes.ts";
import { matchesGlob, parseGlob } from "../../../src/policy/matching/glob.ts";

const texts = fc.string({ unit: fc.constantFrom("a", "b", "c", "-"), maxLength: 5 });
const globs = fc.string({ unit: fc.constantFrom("a", "b", "*", "?", "[a-b]", "[!a]"), minLength: 1, maxLength: 4 });
const signature = (word: string, patterns: readonly string[]): string => patterns.map((pattern) => Number(matchesGlob(parseGlob(pattern), word))).join("");

test("each class is told by a word of it, and every word is in a class that is told", () => {
  fc.assert(
    fc.property(globs, fc.array(globs, { maxLength: 4 }), texts, (within, others, word) => {
      const classes = classesWithin(parseGlob(within), others.map(parseGlob), new Budget(10_000_000)) ?? [];
      for (const { word: shown, matches } of classes) {
        expect(matchesGlob(parseGlob(within), shown)).toBe(true);
        expect(signature(shown, others)).toBe(others.map((_, index) => Number(matches.has(index))).join(""));
      }
      const isTold = classes.some(({ word: shown }) => signature(shown, others) === signature(word, others));
      expect(isTold || !matchesGlob(parseGlob(within), word)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test("the plainest word is shown", () => {
  expect(classesWithin(parseGlob("*"), [parseGlob("a*")], new Budget(10_000_000))).toEqual([
    { word: "a", matches: new Set([0]) },
    { word: "b", matches: new Set() },
  ]);
});
