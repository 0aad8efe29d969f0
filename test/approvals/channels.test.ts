import { describe, expect, test } from "vitest";
import { answerApproval, showApproval } from "../../src/approvals/approval.ts";
import { callbackChannel } from "../../src/approvals/callback-channel.ts";
import type { ApprovalAnswer } from "../../src/approvals/card.ts";
import type { ApprovalChannel, ChannelEnd } from "../../src/approvals/channel.ts";
import { askPerson } from "../../src/approvals/question.ts";
import { movableClock, temporaryStore } from "../support/temporary-store.ts";
import { exampleCard } from "./example-card.ts";

const YES = { kind: "granted", scope: "once", by: "ann" } as const;
const NO = { kind: "refused", scope: "once", by: "bob" } as const;

/** Waits until it is no longer needed, as a prompt does. */
const prompt = (taken: string[]): ApprovalChannel => ({
  name: "prompt",
  ask: (_card, signal) =>
    new Promise((resolve) => {
      signal.addEventListener("abort", () => {
        taken.push("prompt");
        resolve({ kind: "nobody", reason: "taken away" });
      });
    }),
});
const says = (name: string, end: ChannelEnd): ApprovalChannel => ({ name, ask: () => Promise.resolve(end) });

function question(channels: readonly ApprovalChannel[], change: Parameters<typeof exampleCard>[0] = {}) {
  const clock = movableClock();
  const approvals = { store: temporaryStore(), clock };
  const card = exampleCard({ expiresAtMs: clock.nowMs() + 60_000, ...change });
  const answer = askPerson(approvals, { card, callId: "call-1", callDigest: "c", channels, signal: new AbortController().signal });
  return { approvals, clock, card, answer, state: () => showApproval(approvals, card.approvalId)?.state };
}

describe("several channels", () => {
  test("are told at once; the first answer counts and takes the other prompts away", async () => {
    const taken: string[] = [];
    const { answer, state } = question([prompt(taken), says("quick", YES)]);
    expect(await answer).toEqual(YES);
    expect(state()).toBe("granted");
    expect(taken).toEqual(["prompt"]);
  });

  test("two answers at the same moment: the one that was stored first, for both", async () => {
    const { answer, approvals, card } = question([says("first", NO), says("second", YES)]);
    expect(await answer).toEqual(NO);
    expect(showApproval(approvals, card.approvalId)).toMatchObject({ state: "refused", answeredBy: "bob" });
  });

  test("one that reaches nobody, or fails, ends nothing while another may answer", async () => {
    const failing: ApprovalChannel = { name: "failing", ask: () => Promise.reject(new Error("no line")) };
    const asked = question([says("empty", { kind: "nobody", reason: "no terminal" }), failing, says("told", { kind: "told" })]);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(asked.state()).toBe("pending");
    answerApproval(asked.approvals, asked.card.approvalId, YES);
    expect(await asked.answer).toEqual(YES);
  });

  test("that all reach nobody are nobody's answer, with every reason, and the question is over", async () => {
    const failing: ApprovalChannel = { name: "line", ask: () => Promise.reject(new Error("is cut")) };
    const { answer, state } = question([says("empty", { kind: "nobody", reason: "no terminal" }), failing]);
    expect(await answer).toEqual({ kind: "nobody", reason: "no terminal; the line channel failed: is cut" });
    expect(state()).toBe("expired");
  });

  test("where somebody was told and nobody answers, the question runs out", async () => {
    const asked = question([says("told", { kind: "told" })]);
    asked.clock.advance(60_000);
    expect(await asked.answer).toEqual({ kind: "nobody", reason: "nobody answered in time" });
  });
});

describe("a function of an embedding program", () => {
  const CODE = { person: "ann", code: "123456" };
  const wrong: Readonly<Record<string, unknown>> = {
    true: true,
    nothing: undefined,
    "a text": "granted",
    "a yes of nobody": { kind: "granted", scope: "once" },
    "a yes of an empty name": { kind: "granted", scope: "once", by: " " },
    "a yes without a scope": { kind: "granted", by: "ann" },
    "a yes for ever without a pattern": { kind: "granted", scope: "forever", by: "ann" },
    "a pattern without a period": { kind: "granted", scope: "pattern", by: "ann" },
    "a pattern for two years": { kind: "granted", scope: "pattern", by: "ann", period: { kind: "days", days: 730 } },
    "a code that is none": { kind: "granted", scope: "once", by: "ann", code: "123456" },
    "another kind": { kind: "approved", scope: "once", by: "ann" },
  };

  test.each(Object.keys(wrong))("that gives %s has reached nobody", async (name) => {
    const { answer, state } = question([callbackChannel("program", () => wrong[name] as ApprovalAnswer)]);
    expect(await answer).toMatchObject({ kind: "nobody", reason: expect.stringContaining("what it gave is no answer") as string });
    expect(state()).toBe("expired");
  });

  test.each<ApprovalAnswer>([YES, { ...YES, code: CODE }, { ...YES, scope: "this-run" }, NO, { ...NO, scope: "this-run", message: "not today" }])(
    "answers with %o",
    async (given) => {
      const { answer } = question([callbackChannel("program", () => given)]);
      expect(await answer).toMatchObject({ kind: given.kind, by: (given as typeof YES).by });
    },
  );

  test("gets the card and the signal, and may say that the answer comes otherwise", async () => {
    const seen: unknown[] = [];
    const asked = question([
      callbackChannel("program", (card, signal) => {
        seen.push(card.commands, signal.aborted);
        return Promise.resolve({ kind: "told" } as const);
      }),
    ]);
    answerApproval(asked.approvals, asked.card.approvalId, YES);
    expect(await asked.answer).toEqual(YES);
    expect(seen).toEqual([["touch a"], false]);
  });
});
