import fc from "fast-check";
import MarkdownIt from "markdown-it";
import { describe, expect, test } from "vitest";
import type { RunStory } from "../../../../src/app/story/story.ts";
import { storyHtml } from "../../../../src/cli/view/story/html.ts";
import { storyMarkdown } from "../../../../src/cli/view/story/markdown.ts";
import { storyText } from "../../../../src/cli/view/story/terminal.ts";

/** A run in which every text of unknown origin is the given one. */
function runWith(text: string): RunStory {
  const call = {
    tool: text,
    about: text,
    verdict: "deny" as const,
    risk: "high",
    reason: text,
    rules: [text],
    answers: [text],
    outcome: text,
    exitCode: null,
    durationMs: 12,
    result: text,
  };
  return {
    run: "run-1",
    task: text,
    workspace: text,
    policy: { name: text, digest: "ab".repeat(32) },
    model: text,
    startedAtMs: 0,
    endedAtMs: 1000,
    ending: "done",
    parent: null,
    children: [{ run: "run-child", parent: "run-1", task: text, ending: "done" }],
    forkedFrom: null,
    points: [{ turn: 0, obstacle: text }],
    turns: [
      { turn: null, standing: "forgotten", model: null, said: "", tokens: 0, calls: [call], told: [] },
      { turn: 1, standing: "holds", model: text, said: text, tokens: 10, calls: [call], told: [text] },
    ],
    switches: [{ from: text, to: text, reason: text }],
    models: [
      { model: text, turns: 1, tokens: 10, usd: 0.1 },
      { model: `${text}2`, turns: 1, tokens: 10, usd: null },
    ],
    usd: null,
    changes: [text],
    diff: `--- a\n+++ b\n@@ -1 +1 @@\n-${text}\n+${text}\n`,
    landings: [text],
  };
}

const HOSTILE = [
  "</script><script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "'><svg/onload=alert(1)>",
  "</pre></section></details><iframe src=https://evil.example>",
  "<!--",
  "]]><style>*{display:none}",
  "&lt;script&gt;",
  "\u001b[2J\u001b]0;owned\u0007\u009b31m",
  "a\u202eb\u2066c\u200d\u{e0041}",
  "\u0000\ud800 half",
  "```\n![x](https://evil.example/x.png)\n<script>alert(1)</script>\n```",
  "````` ` ``",
  "# heading\n- [link](javascript:alert(1))\n\n    code",
  "javascript:alert(1)",
  "a\r\nb\u2028c",
];
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
