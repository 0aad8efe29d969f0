import fc from "fast-check";
import MarkdownIt from "markdown-it";
import { describe, expect, test } from "vitest";
import { storyHtml } from "../../../../src/cli/view/story/html.ts";
import { storyMarkdown } from "../../../../src/cli/view/story/markdown.ts";
import { storyText } from "../../../../src/cli/view/story/terminal.ts";
import { hostileTexts, runWith } from "../../../support/run-story.ts";

const HOSTILE = hostileTexts("https://evil.example");
const hostile = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: "binary" }), fc.string());

/** The tags of a page with their attributes, without what stands in them as text. */
const tagsOf = (html: string): readonly string[] => html.match(/<[^>]*>/gu) ?? [];
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\p{Default_Ignorable_Code_Point}]/u;
const rendered = (text: string): string => new MarkdownIt({ html: true, linkify: true }).render(storyMarkdown(runWith(text)));

describe("a run that is full of hostile text", () => {
  test("is a page with the same tags as a harmless one, whatever its text", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        // As many lines in the diff as the harmless one has.
        const one = text.replaceAll(/[\n\r]/gu, " ");
        fc.pre(one.trim() !== "");
        expect(tagsOf(storyHtml(runWith(one)))).toEqual(tagsOf(storyHtml(runWith("x"))));
      }),
      { numRuns: 400 },
    );
  });

  test.each(HOSTILE.map((text) => [text]))("loads nothing and runs nothing: %j", (text) => {
    const html = storyHtml(runWith(text));
    expect(html).not.toMatch(/<(?:script|img|iframe|svg|link|object|embed|base|form)\b/iu);
    for (const tag of tagsOf(html)) expect(tag).not.toMatch(/\s(?:on\w+|src|href|style)\s*=/iu);
    expect(html).toContain("default-src 'none'; style-src 'sha256-");
    expect(html.replaceAll("\n", "")).not.toMatch(HIDDEN);
  });

  test("has its own list and its messages in each form", () => {
    const run = { ...runWith("x"), todo: { count: "1 of 2 done", lines: ["[x] Look"] } };
    expect(storyText(run, 80)).toContain("\nIts list, 1 of 2 done:\n  [x] Look\n");
    expect(storyText(run, 80)).toContain("\nMessage: Half\\u{1b}[2J done.\n");
    expect(storyMarkdown(run)).toContain("- ` [x] Look `");
    expect(storyHtml(run)).toContain("<li>[x] Look</li>");
  });

  test("reads the same as it was: only the escapes of HTML stand between", () => {
    expect(storyHtml(runWith("a < b && c > 'd' \"e\""))).toContain("<pre>a &lt; b &amp;&amp; c &gt; &#39;d&#39; &quot;e&quot;</pre>");
  });

  test.each(HOSTILE.map((text) => [text]))("is Markdown in which it is code alone: %j", (text) => {
    const html = rendered(text);
    expect(html).not.toMatch(/<(?:script|img|iframe|svg|a|style)\b/iu);
    expect((html.match(/<h[1-6]>/gu) ?? []).length).toBe((rendered("x").match(/<h[1-6]>/gu) ?? []).length);
    expect(storyMarkdown(runWith(text)).replaceAll("\n", "")).not.toMatch(HIDDEN);
  });

  test.each(HOSTILE.map((text) => [text]))("steers no terminal and stays within 80 columns: %j", (text) => {
    const shown = storyText(runWith(text.repeat(30)), 80);
    expect(shown.replaceAll("\n", "")).not.toMatch(HIDDEN);
    for (const line of shown.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  });
});
