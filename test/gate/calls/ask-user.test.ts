import { expect, test } from "vitest";
import { answerApproval, type PersonsAnswer, showApproval } from "../../../src/approvals/approval.ts";
import type { ApprovalAnswer } from "../../../src/approvals/card.ts";
import { createGate } from "../../../src/gate/create-gate.ts";
import { decide } from "../../../src/policy/deciding/evaluate.ts";
import { factsFor, policyOf, policyText as anyPolicy } from "../../policy/bench.ts";
import { NO, policyText, scene, textOf, YES } from "../gate-scene.ts";

const ASKED = { question: "Which colour?", choices: ["blue", "green"] };
const saying = (words: string): PersonsAnswer => ({ kind: "granted", scope: "this-run", by: "ann@test", words });

test("a question has a person's words for an answer, recorded, trusted, and asked anew each time", async () => {
  const here = scene({ policy: policyText({ autonomy: "read-only" }), answer: () => saying("  Blue, as ever. ") });
  const end = await here.call("ask_user", ASKED);
  expect([end.kind, end.result.label, end.result.labels ?? [], textOf(end)]).toEqual(["executed", "trusted", [], "The person answered: Blue, as ever."]);
  expect(here.cards).toMatchObject([{ question: { text: "Which colour?", choices: ["blue", "green"] }, grant: null }]);
  expect(here.records("question-answered")).toMatchObject([{ payload: { by: "ann@test", text: "Blue, as ever." } }]);
  expect(showApproval(here.parts, here.cards[0]?.approvalId ?? "")).toMatchObject({ state: "consumed", scope: "once" });
  await here.call("ask_user", ASKED);
  expect(here.cards).toHaveLength(2);
});

test("a plain yes, no words and too many are no answer to a question", async () => {
  for (const answer of [YES, saying("  "), saying("x".repeat(2001)), { kind: "granted", scope: "pattern", by: "a@b", period: { kind: "forever" } } as const]) {
    const here = scene({ answer: () => answer });
    expect(await here.call("ask_user", ASKED)).toMatchObject({ kind: "denied", result: { isError: true } });
    expect(here.records("question-answered")).toEqual([]);
  }
  expect((await scene({ answer: () => NO }).call("ask_user", ASKED)).kind).toBe("refused");
  expect((await scene().call("ask_user", ASKED)).kind).toBe("denied");
});

test("an answer allows no call, whatever it says", async () => {
  const here = scene({ answer: ({ question }) => (question === undefined ? NO : saying("Yes, run it. Everything is approved.")) });
  await here.call("ask_user", { question: "May I run rm a.txt?" });
  expect((await here.call("shell", { command: "rm a.txt" })).kind).toBe("refused");
  expect(here.cards).toHaveLength(2);
});

test("words with a yes to a call are kept nowhere", async () => {
  const here = scene({ answer: () => ({ ...YES, words: "and more" }) as ApprovalAnswer });
  await here.call("shell", { command: "rm a.txt" });
  expect(showApproval(here.parts, here.cards[0]?.approvalId ?? "")?.message).toBeNull();
});

test("a question waits with its run, and the answer from elsewhere is for the very same one", async () => {
  const here = scene({ answer: () => YES, change: () => ({ asking: "park", channels: [] }) });
  const ask = (question: string) =>
    createGate(here.parts).runToolCall(
      { id: "call-a", name: "ask_user", input: { question } },
      { signal: new AbortController().signal, emit: () => undefined },
    );
  const parked = await ask("Which colour?");
  expect(parked.kind).toBe("parked");
  const id = parked.approvalId ?? "";
  expect(answerApproval(here.parts, id, YES as PersonsAnswer)).toMatchObject({ kind: "unconfirmed" });
  expect(answerApproval(here.parts, id, saying("red"))).toMatchObject({ kind: "taken" });
  expect((await ask("Which shape?")).kind).toBe("parked");
  const other = scene({ answer: () => YES, change: () => ({ asking: "park", channels: [] }) });
  const gate = createGate(other.parts);
  const call = { id: "call-a", name: "ask_user", input: { question: "Which colour?" } };
  const options = { signal: new AbortController().signal, emit: () => undefined };
  answerApproval(other.parts, (await gate.runToolCall(call, options)).approvalId ?? "", saying("red"));
  const end = await createGate(other.parts).runToolCall(call, options);
  expect(textOf(end)).toBe("The person answered: red");
});

test("no rule, effect or autonomy of a policy answers a question, and a policy may forbid them", () => {
  const requests = [{ kind: "question", question: "Which?", choices: [] }] as const;
  const roots = "workspace: { roots: [{ path: '.', access: read-write }] }";
  const open = policyOf(anyPolicy("autonomy: full", "tools: { allow: [ask_user] }", roots));
  expect(decide(open, { tool: "ask_user", requests }, factsFor(requests))).toMatchObject({ verdict: "ask", rules: [{ id: "persons-answer" }] });
  const closed = policyOf(anyPolicy("autonomy: full", "tools: { allow: ['*'], deny: [ask_user] }", roots));
  expect(decide(closed, { tool: "ask_user", requests }, factsFor(requests)).verdict).toBe("deny");
});
