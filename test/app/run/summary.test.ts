import { expect, test } from "vitest";
import { type RunSummary, summarise } from "../../../src/app/run/summary.ts";
import { staticTools } from "../../../src/tools/contract/static-tools.ts";
import { BUILT_IN_TOOLS, createRegistry } from "../../../src/tools/registry.ts";
import type { Hook } from "../../../src/gate/hooks/hook.ts";
import { policyText, scene, YES } from "../../gate/gate-scene.ts";

/** What is told of a run that made one call of a tool that the policy asks about. */
async function toldOfOneCall(hook: Hook): Promise<RunSummary> {
  const tools = createRegistry(BUILT_IN_TOOLS, staticTools({ deploy: "deployed" }));
  const { call, parts } = scene({ policy: policyText({ autonomy: "full" }), answer: () => YES, change: () => ({ tools, hooks: [hook] }) });
  await call("deploy", {});
  const end = { kind: "done", text: "", reason: "", turns: 1, usage: { inputTokens: 1, outputTokens: 0, cachedInputTokens: 0, isEstimated: false } } as const;
  return summarise({ audit: parts.audit, run: parts.runId, task: "Do it.", end, changes: null, isForBranch: false, models: [], children: [] });
}

test("what a hook blocked before a call was refused, by the name of the hook", async () => {
  const { done, failed, refused, asked } = await toldOfOneCall({ name: "no-friday", beforeTool: () => ({ block: "Not on a Friday." }) });
  expect(refused).toEqual([{ tool: "deploy", what: "{}", rule: "hook-no-friday", reason: "Denied by hook no-friday: Not on a Friday." }]);
  expect([done, failed, asked]).toEqual([[], [], []]);
});

test("a question that a hook kept from the person was refused by the hook, and waits for nobody", async () => {
  const { done, failed, refused, asked } = await toldOfOneCall({ name: "night", beforeAsk: () => ({ block: "Nobody is asked at night." }) });
  expect(asked).toMatchObject([{ tool: "deploy", answer: "refused", by: "hook night" }]);
  expect(refused).toMatchObject([{ tool: "deploy", reason: "refused by hook night" }]);
  expect([done, failed]).toEqual([[], []]);
});

test("a hook that fails after a call withholds its result, and the call is done", async () => {
  const afterTool = (): never => {
    throw new Error("broken");
  };
  const { done, failed, refused } = await toldOfOneCall({ name: "late", afterTool });
  expect(done).toMatchObject([{ tool: "deploy", outcome: "completed" }]);
  expect([failed, refused]).toEqual([[], []]);
});
