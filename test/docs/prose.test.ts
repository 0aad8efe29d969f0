import { describe, expect, test } from "vitest";
import { brokenMentions, longSentences, MAX_CHANGELOG_LINES, pages, readPage } from "../support/docs/findings.ts";
import { mentionsOf } from "../support/docs/mentions.ts";
import { sentencesOf } from "../support/docs/sentences.ts";

const words = (count: number): string => Array.from({ length: count }, () => "word").join(" ");

describe("what reads the pages", () => {
  test("walks them all", () => {
    expect(pages.length).toBeGreaterThan(45);
    expect(pages).toEqual(expect.arrayContaining(["README.md", "docs/policy-language.md", "docs/guides/network.md"]));
    expect(pages.flatMap((file) => sentencesOf(readPage(file))).length).toBeGreaterThan(2500);
    expect(pages.flatMap((file) => mentionsOf(readPage(file))).length).toBeGreaterThan(300);
  });

  test.each([
    ["a paragraph", `${words(41)}.`],
    ["a second sentence", `One.\nTwo words.\nWord ${words(40)}.`],
    ["a list item", `- short\n- ${words(41)}`],
    ["a nested list item", `- short\n    - ${words(41)}`],
    ["a table cell", `| a | b |\n| --- | --- |\n| short | ${words(41)} |`],
    ["a heading", `## ${words(41)}`],
    ["a quotation", `> ${words(41)}`],
    ["a paragraph of HTML", `<p>${words(41)}</p>`],
    ["two halves that a semicolon joins", `${words(21)}; ${words(20)}.`],
    ["two halves that a colon joins", `${words(21)}: ${words(20)}.`],
    ["two halves with a full stop in code between them", `${words(20)} \`a. B\` ${words(19)}.`],
    ["two halves with a number between them", `${words(20)} 0.5 ${words(20)}.`],
    ["a line that a link is in", `${words(39)} [two words](https://example.org).`],
  ])("finds 41 words in %s", (_, text) => {
    expect(longSentences("page.md", text)).toEqual([expect.stringMatching(/^page\.md:\d+: 41 words: /u)]);
  });

  test.each([
    ["40 words", `${words(40)}.`],
    ["two sentences", `${words(30)}. Word ${words(30)}. \`code\` ${words(30)}? (Word ${words(30)}.) Word.`],
    ["a list of short items", `${words(30)}:\n\n- ${words(30)}\n- ${words(30)}`],
    ["a code block", `\`\`\`\n${words(50)}\n\`\`\`\n\n    ${words(50)}`],
    ["a cell of code", `| a |\n| --- |\n| \`${words(50)}\` |`],
    ["a comment", `<!-- ${words(50)} -->`],
  ])("is content with %s", (_, text) => {
    expect(longSentences("page.md", text)).toEqual([]);
  });

  test("names the line on which a sentence begins", () => {
    expect(longSentences("page.md", `# Title\n\nOne.\nTwo. Word\n${words(40)}.`)).toEqual([expect.stringMatching(/^page\.md:4: 41 words: Word word/u)]);
  });

  test.each([
    ["a link to a page", "See\n[it](docs/nowhere.md).", "README.md:2: there is no docs/nowhere.md"],
    ["a link to a heading", "[it](docs/audit.md#nowhere)", "README.md:1: docs/audit.md has no heading #nowhere"],
    ["a link to a heading of its own", "# Here\n\n[it](#here) [it](#there)", "README.md:3: README.md has no heading #there"],
    ["a path", "`src/nowhere.ts`", "README.md:1: there is no src/nowhere.ts"],
    ["a path in a command", "`node scripts/nowhere.ts --all`", "README.md:1: there is no scripts/nowhere.ts"],
  ])("finds %s that is not there", (_, text, found) => {
    expect(brokenMentions("README.md", text)).toEqual([found]);
  });

  test("is content with paths that are there, globs and placeholders", () => {
    expect(
      brokenMentions("docs/audit.md", "`src/audit/`, `test/**`, `policies/NAME.yaml`, `/w/src/a`, [a](../README.md), [b](https://example.org/docs/x)"),
    ).toEqual([]);
  });
});

describe.each(pages)("%s", (file) => {
  test("has no sentence of more than 40 words", () => {
    expect(longSentences(file, readPage(file))).toEqual([]);
  });

  test("names only files and headings that are there", () => {
    expect(brokenMentions(file, readPage(file))).toEqual([]);
  });
});

test(`the changelog has at most ${MAX_CHANGELOG_LINES} lines`, () => {
  expect(readPage("CHANGELOG.md").trimEnd().split("\n").length).toBeLessThanOrEqual(MAX_CHANGELOG_LINES);
});
