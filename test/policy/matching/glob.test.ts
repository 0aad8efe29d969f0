import * as fc from "fast-check";
import { expect, test } from "vitest";
import { globsIntersect, literalGlob, matchesGlob, parseGlob } from "../../../src/policy/matching/glob.ts";

test.each([
  ["*", "", true],
  ["a*c", "abbc", true],
  ["a*c", "abb", false],
  ["a?c", "abc", true],
  ["a?c", "ac", false],
  ["[a-c]x", "bx", true],
  ["[!a-c]x", "bx", false],
  ["[^a-c]x", "dx", true],
  ["[]]", "]", true],
  ["[a", "[a", true],
  ["\\*", "*", true],
  ["\\*", "a", false],
  ["a.c", "abc", false],
  ["(a+)+$", "(a+)+$", true],
])("%j against %j is %j", (glob, text, expected) => {
  expect(matchesGlob(parseGlob(glob), text)).toBe(expected);
});

test.each([
  ["a*", "*b", true],
  ["a*", "b*", false],
  ["*.pem", "server.p*", true],
  ["*.pem", "*.key", false],
  ["[a-c]*", "c?", true],
  ["!(a|b)", "anything", true],
])("%j and %j have a text in common: %j", (one, other, expected) => {
  expect(globsIntersect(parseGlob(one), parseGlob(other))).toBe(expected);
  expect(globsIntersect(parseGlob(other), parseGlob(one))).toBe(expected);
});

const glob = fc.array(fc.constantFrom("a", "b", ".", "*", "?", "[ab]", "[!a]"), { maxLength: 6 }).map((parts) => parts.join(""));
const text = fc.array(fc.constantFrom("a", "b", "."), { maxLength: 6 }).map((parts) => parts.join(""));

test("two globs that match one text intersect", () => {
  fc.assert(
    fc.property(glob, glob, text, (one, other, subject) => {
      fc.pre(matchesGlob(parseGlob(one), subject) && matchesGlob(parseGlob(other), subject));
      expect(globsIntersect(parseGlob(one), parseGlob(other))).toBe(true);
    }),
  );
});

test("a text is matched by itself, whatever characters it holds", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (subject) => {
      expect(globsIntersect(literalGlob(subject), literalGlob(subject))).toBe(true);
    }),
  );
});

test("a glob made to hang others is answered", () => {
  expect(matchesGlob(parseGlob("*a".repeat(60)), "a".repeat(2000))).toBe(true);
  expect(matchesGlob(parseGlob(`${"*a".repeat(60)}b`), "a".repeat(2000))).toBe(false);
});
