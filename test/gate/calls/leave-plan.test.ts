import { expect, test } from "vitest";
import { decide } from "../../../src/policy/deciding/evaluate.ts";
import { planHandle } from "../../../src/gate/calls/leave-plan.ts";
import type { Progress } from "../../../src/gate/calls/progress.ts";
import type { RuledCall } from "../../../src/gate/ruling/ruled-call.ts";
import type { ToolRequest } from "../../../src/tools/contract/tool.ts";
import { factsFor, policyOf, policyText } from "../../policy/bench.ts";
import { scene } from "../gate-scene.ts";

/** A ruled call of plan_done, as the gate would hand it to the tool. */
function ruled(change: { readonly verdict?: "allow" | "ask"; readonly wanted?: readonly ToolRequest[]; readonly isOpen?: boolean }) {
  const { parts } = scene();
  const left: string[] = [];
  const planning = { isOpen: () => change.isOpen ?? true, leave: (digest: string) => void left.push(digest) };
  const call = {
    gate: { parts: { ...parts, planning }, approvals: { store: parts.store, clock: parts.clock } },
    wanted: change.wanted ?? [{ kind: "plan", plan: "P" }],
    ruling: { callId: "call-1", digest: "d", decision: { verdict: change.verdict ?? "ask" } },
    signal: new AbortController().signal,
  } as unknown as RuledCall;
  const progress = { isOver: false, approvalId: null, fault: null } as unknown as Progress;
  return { left, progress, leave: async (plan: string) => await planHandle(call, progress).leave(plan) };
}

test("a plan is left once it was asked about, and its digest is what counts", async () => {
  const { left, leave } = ruled({});
  expect(await leave("P")).toBeNull();
  expect(left).toHaveLength(1);
});

test.each([
  ["no person was asked", { verdict: "allow" }],
  ["the call did not ask for this plan", { wanted: [{ kind: "plan", plan: "Q" }] }],
  ["this run does not plan", { isOpen: false }],
] as const)("a plan is not left: %s", async (why, change) => {
  const { left, leave } = ruled(change);
  expect(await leave("P")).toContain(why);
  expect(left).toEqual([]);
});

test("a handle that a tool kept leaves no plan", async () => {
  const { left, leave, progress } = ruled({});
  progress.isOver = true;
  expect(await leave("P")).toContain("the call has ended");
  expect(left).toEqual([]);
});

test("no rule, effect or autonomy of a policy says yes to a plan", () => {
  const policy = policyOf(policyText("autonomy: full", "tools: { allow: [plan_done] }", "workspace: { roots: [{ path: '.', access: read-write }] }"));
  const requests = [{ kind: "plan", plan: "P" }] as const;
  expect(decide(policy, { tool: "plan_done", requests }, factsFor(requests))).toMatchObject({ verdict: "ask", rules: [{ id: "plan-approval" }] });
});
