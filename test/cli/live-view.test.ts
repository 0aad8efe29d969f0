import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { createLiveView } from "../../src/cli/live-view.ts";

test("a reason of several lines is shown as lines, each made visible", () => {
  const out = new PassThrough().setEncoding("utf8");
  const usage = { inputTokens: 1, outputTokens: 0 };
  const end = { kind: "failed", reason: "s.yaml:5, turn 2: expected a result, but got:\nexit code: 0\n\u001b[2Jstdout", turns: 1, usage } as never;
  createLiveView(out as unknown as NodeJS.WriteStream).show({ kind: "run-end", runId: "run-a", atMs: 0, end } as never);
  const [blank, first, ...more] = String(out.read()).split("\n");
  expect(blank).toBe("");
  expect(first).toMatch(/^failed: s\.yaml:5, turn 2: expected a result, but got: · 1 turn · 0 calls, 0 refused · 1 token · /u);
  expect(more).toEqual(["  │ exit code: 0", "  │ \\u{1b}[2Jstdout", ""]);
});
