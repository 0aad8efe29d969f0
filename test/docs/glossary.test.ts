import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { sentencesOf } from "../support/docs/sentences.ts";

const root = new URL("../../", import.meta.url);
const page = readFileSync(new URL("docs/glossary.md", root), "utf8");
const entries = [...page.matchAll(/^\| (?<word>[a-z][a-z ]*) \| (?<meaning>.+) \|$/gmu)]
  .map(({ groups }) => ({ word: groups?.["word"] ?? "", meaning: groups?.["meaning"] ?? "" }))
  .filter(({ word }) => word !== "word");
const words = entries.map(({ word }) => word);
const sources = globSync("src/**/*.ts", { cwd: root.pathname }).map((file) => readFileSync(new URL(file, root), "utf8"));

test("the glossary has about 40 words, each once, in the order of the alphabet", () => {
  expect(words.length).toBeGreaterThanOrEqual(38);
  expect(words.length).toBeLessThanOrEqual(46);
  expect(words).toEqual([...new Set(words)].toSorted());
});

test.each(entries)("$word is used in src", ({ word }) => {
  expect(sources.length).toBeGreaterThan(400);
  // As a word of its own: in a comment, in a text, or as an identifier (`egressProxy`).
  const use = new RegExp(String.raw`\b${word.replace(" ", "[ -]?")}\b`, "iu");
  expect(sources.some((source) => use.test(source))).toBe(true);
});

test.each(entries)("$word is told in one or two sentences", ({ meaning }) => {
  expect(sentencesOf(meaning).length).toBeGreaterThanOrEqual(1);
  expect(sentencesOf(meaning).length).toBeLessThanOrEqual(2);
});
