import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ApprovalAnswer, ApprovalCard } from "../../src/approvals/card.ts";
import { callbackChannel } from "../../src/approvals/callback-channel.ts";
import { answerApproval } from "../../src/approvals/approval.ts";
import { withRecords } from "../../src/app/records/records.ts";
import { resumeRun } from "../../src/app/run/resume.ts";
import { runTask, type AgentRunResult } from "../../src/app/run/run.ts";
import { readContext } from "../../src/app/setup/context.ts";
import { sha256 } from "../../src/base/digest.ts";
import { agentsInProcess, called, delegated, type Heard, type Parts, resultsOf } from "../support/agents-in-process.ts";
import { describeWithDocker } from "../support/docker.ts";
import { familyPlace, type FamilyPlace, PRICE, recordsHere, rulingsOf } from "../support/family-place.ts";

const PLAN = "1. Write made.txt.\n2. Look at it.";
const write = called("write_file", { path: "made.txt", content: "made" }, "write");
const planned = (plan = PLAN, id = "plan") => called("plan_done", { plan }, id);

type Planned = { readonly result: AgentRunResult; readonly cards: readonly ApprovalCard[]; readonly heard: readonly Heard[] };

async function plan(here: FamilyPlace, parts: Parts, answer: ((card: ApprovalCard) => ApprovalAnswer) | null, policy = ""): Promise<Planned> {
  writeFileSync(here.policy, `version: 1\nname: own\nextends: unattended\n${policy}`);
  const { provider, heard } = agentsInProcess(parts);
  const cards: ApprovalCard[] = [];
  const ask = (card: ApprovalCard): ApprovalAnswer => {
    cards.push(card);
    return (answer as (card: ApprovalCard) => ApprovalAnswer)(card);
  };
  const result = await runTask(readContext(here.policy, here.workspace), {
    task: "Main.",
    model: { provider, price: PRICE },
    isUnattended: answer === null,
    plan: "open",
    ...(answer === null ? {} : { channels: [callbackChannel("test", ask)] }),
    signal: new AbortController().signal,
    emit: () => undefined,
  });
  return { result, cards, heard };
}

const yes: ApprovalAnswer = { kind: "granted", scope: "once", by: "ann" };

describeWithDocker("a run that plans", () => {
  test("changes nothing before a person says yes to its plan, and then what the policy lets it", async () => {
    const { result, cards, heard } = await plan(
      familyPlace(),
      {
        "Main.": [
          { calls: [write, called("shell", { command: "echo x > made.txt" }), called("shell", { command: "ls" }, "look")] },
          { calls: [planned()] },
          { calls: [{ ...write, callId: "again" }] },
        ],
      },
      () => yes,
    );
    const records = recordsHere();
    expect(rulingsOf(records, result.runId)).toEqual([
      "write_file deny read-only-autonomy",
      "shell deny read-only-autonomy",
      expect.stringMatching(/^shell allow/u),
      "plan_done ask plan-approval",
      expect.stringMatching(/^write_file allow/u),
    ]);
    expect(cards).toHaveLength(1);
    expect(cards[0]).toMatchObject({ tool: "plan_done", input: JSON.stringify({ plan: PLAN }), effects: [expect.stringContaining(sha256(PLAN))], grant: null });
    expect(records.filter(({ kind }) => kind === "plan-approved").map(({ payload }) => payload["plan"])).toEqual([sha256(PLAN)]);
    expect([result.end.kind, result.summary.changes?.count]).toEqual(["done", 1]);
    expect(resultsOf(heard, "Main.")[3]).toBe("[warder]\nA person approved this plan. Carry it out.");
    expect(heard[0]?.request.system).toContain("begins read-only");
  });

  test("stays read-only when the person says no, and for a plan that they have not seen", async () => {
    const { result, cards, heard } = await plan(
      familyPlace(),
      {
        "Main.": [
          { calls: [planned("The first.")] },
          { calls: [write] },
          { calls: [planned("The second.", "second")] },
          { calls: [{ ...write, callId: "again" }] },
        ],
      },
      () => ({ kind: "refused", scope: "once", by: "ann", message: "not like this" }),
    );
    expect(cards.map(({ input }) => input)).toEqual([JSON.stringify({ plan: "The first." }), JSON.stringify({ plan: "The second." })]);
    expect(resultsOf(heard, "Main.")[0]).toContain("not like this");
    expect(rulingsOf(recordsHere(), result.runId).filter((ruling) => ruling.startsWith("write_file"))).toEqual([
      "write_file deny read-only-autonomy",
      "write_file deny read-only-autonomy",
    ]);
    expect(result.summary.changes?.count).toBe(0);
    expect(recordsHere().some(({ kind }) => kind === "plan-approved")).toBe(false);
  });

  test.each([
    ["a policy that lists its tool", "tools: { allow: [plan_done, write_file, shell, agent] }\n"],
    ["a policy that denies what nobody can answer", "unattended: { on-ask: deny }\n"],
  ])("is never let go by %s: unattended it parks", async (_what, policy) => {
    const here = familyPlace();
    const { result } = await plan(here, { "Main.": [{ calls: [planned()] }, { calls: [write] }] }, null, policy);
    expect(result.end.kind).toBe("parked");
    expect(existsSync(join(here.workspace, "made.txt"))).toBe(false);
  });

  test("goes on where it was when the person has answered, and stays approved after that", async () => {
    const here = familyPlace();
    const more = { calls: [called("write_file", { path: "more.txt", content: "more" }, "more")] };
    const parts: Parts = { "Main.": [{ calls: [planned()] }, { calls: [write] }, { text: "Made." }, more] };
    const { result } = await plan(here, parts, null);
    const approval = result.end.kind === "parked" ? result.end.approvalId : "";
    const { provider } = agentsInProcess(parts);
    const options = { model: { provider, price: PRICE }, signal: new AbortController().signal, emit: () => undefined };
    expect(await resumeRun(result.runId, options)).toMatchObject({ kind: "waiting" });
    withRecords(({ approvals }) => answerApproval(approvals, approval, { kind: "granted", scope: "once", by: "ann" }));
    const end = await resumeRun(result.runId, options);
    expect(end).toMatchObject({ kind: "ran", result: { end: { kind: "done", text: "Made." }, summary: { changes: { count: 1 } } } });
    expect(withRecords(({ store }) => store.runs.byId(result.runId)?.plan)).toBe(sha256(PLAN));
    const further = await resumeRun(result.runId, { ...options, task: "Write more." });
    expect(further).toMatchObject({ kind: "ran", result: { end: { kind: "done" }, summary: { changes: { count: 2 } } } });
    expect(recordsHere().filter(({ kind }) => kind === "plan-approved")).toHaveLength(1);
  });

  test("has read-only sub-agents while it plans, which propose no plan", async () => {
    const { result, cards, heard } = await plan(
      familyPlace(),
      {
        "Main.": [delegated("Child: go."), { calls: [planned()] }, delegated("Child: again.", {}, "later")],
        "Child:": [{ calls: [write, planned("Mine.", "mine")] }],
      },
      () => yes,
    );
    const children = result.summary.children.map(({ run }) => run);
    const [first, second] = children.map((run) => rulingsOf(recordsHere(), run));
    expect(first).toEqual(["write_file deny read-only-autonomy", "plan_done deny tool-not-allowed"]);
    expect(second).toEqual([expect.stringMatching(/^write_file allow/u), "plan_done deny tool-not-allowed"]);
    expect(cards).toHaveLength(1);
    expect(heard.find(({ task }) => task.startsWith("Child:"))?.request.tools.map(({ name }) => name)).not.toContain("plan_done");
  });

  test("has no such tool without a plan", async () => {
    const { heard } = await familyPlace().play({ "Main.": [{ calls: [planned()] }] });
    expect(resultsOf(heard, "Main.")[0]).toContain("Tool not found: plan_done");
  });
});
