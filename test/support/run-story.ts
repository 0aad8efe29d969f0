import type { RunStory } from "../../src/app/story/story.ts";

/** A run in which every text of unknown origin is the given one. */
export function runWith(text: string): RunStory {
  const call = {
    tool: text,
    isInScript: false,
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
    labels: [text],
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
    messages: ["Half\u001b[2J done."],
    forkedFrom: null,
    points: [{ turn: 0, obstacle: text }],
    turns: [
      { turn: null, standing: "forgotten", model: null, said: "", tokens: 0, calls: [call], told: [] },
      { turn: 1, standing: "holds", model: text, said: text, tokens: 10, calls: [call], told: [text] },
    ],
    todo: { count: text, lines: [text] },
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

/** `origin`: where what they name lies. */
export const hostileTexts = (origin: string): readonly string[] => [
  "</script><script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "'><svg/onload=alert(1)>",
  `</pre></section></details><iframe src=${origin}>`,
  "<!--",
  "]]><style>*{display:none}",
  "&lt;script&gt;",
  "\u001b[2J\u001b]0;owned\u0007\u009b31m",
  "a\u202eb\u2066c\u200d\u{e0041}",
  "\u0000\ud800 half",
  `\`\`\`\n![x](${origin}/x.png)\n<script>alert(1)</script>\n\`\`\``,
  "````` ` ``",
  "# heading\n- [link](javascript:alert(1))\n\n    code",
  "javascript:alert(1)",
  "a\r\nb\u2028c",
];
