import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import {
  answerApproval,
  claimApproval,
  consumeApproval,
  listApprovals,
  rememberedAnswer,
  requestApproval,
  showApproval,
  type Approvals,
} from "../../src/approvals/approval.ts";
import type { ApprovalAnswer } from "../../src/approvals/card.ts";
import { askPerson } from "../../src/approvals/question.ts";
import { systemClock } from "../../src/base/clock.ts";
import { ownerOfThisProcess } from "../../src/store/lock/process-owner.ts";
import { startProgram } from "../support/program.ts";
import { movableClock, temporaryDirectory, temporaryStore } from "../support/temporary-store.ts";
import { exampleCard } from "./example-card.ts";
import { once } from "../support/until.ts";

const DEAD = "another-boot/pid:[1]/1/1";
const YES = { kind: "granted", scope: "once", by: "ann" } as const;
const NO = { kind: "refused", scope: "once", by: "bob" } as const;
const BOUND = { run: exampleCard().runId, rulingDigest: exampleCard().rulingDigest, policyDigest: exampleCard().policyDigest };

function asked(change: Parameters<typeof exampleCard>[0] = {}) {
  const clock = movableClock();
  const approvals: Approvals = { store: temporaryStore(), clock };
  const card = exampleCard({ expiresAtMs: clock.nowMs() + 1_000, ...change });
  requestApproval(approvals, card, "call-1", "digest-of-the-call");
  return { approvals, clock, card, id: card.approvalId };
}

const stateOf = (approvals: Approvals, id: string) => showApproval(approvals, id)?.state;

describe("an approval", () => {
  test("goes from pending over granted and claimed to consumed, each step once", () => {
    const { approvals, id, card } = asked();
    expect(showApproval(approvals, id)).toMatchObject({ state: "pending", card });
    expect(claimApproval(approvals, id, BOUND)).toBe(false);
    expect(answerApproval(approvals, id, YES)).toMatchObject({ kind: "taken", approval: { state: "granted", answeredBy: "ann" } });
    expect(consumeApproval(approvals, id)).toBe(false);
    expect(claimApproval(approvals, id, BOUND)).toBe(true);
    expect(claimApproval(approvals, id, BOUND)).toBe(false);
    expect(consumeApproval(approvals, id)).toBe(true);
    expect(consumeApproval(approvals, id)).toBe(false);
    expect(stateOf(approvals, id)).toBe("consumed");
  });

  test("is answered once: the first answer stands", () => {
    const { approvals, id } = asked();
    answerApproval(approvals, id, NO);
    expect(answerApproval(approvals, id, YES)).toEqual({ kind: "gone", state: "refused" });
    expect(claimApproval(approvals, id, BOUND)).toBe(false);
  });

  test.each(["run", "rulingDigest", "policyDigest"] as const)("is void for another %s", (field) => {
    const { approvals, id } = asked();
    answerApproval(approvals, id, YES);
    expect(claimApproval(approvals, id, { ...BOUND, [field]: "another" })).toBe(false);
    expect(claimApproval(approvals, id, BOUND)).toBe(true);
  });

  test("expires unanswered, and granted", () => {
    const unanswered = asked();
    unanswered.clock.advance(1_000);
    expect(answerApproval(unanswered.approvals, unanswered.id, YES)).toEqual({ kind: "gone", state: "expired" });
    const granted = asked();
    answerApproval(granted.approvals, granted.id, YES);
    granted.clock.advance(1_000);
    expect(claimApproval(granted.approvals, granted.id, BOUND)).toBe(false);
    expect(stateOf(granted.approvals, granted.id)).toBe("expired");
  });

  test.each([
    ["whose process died", { owner: DEAD }, "void"],
    ["that ended", { ended: true }, "void"],
    ["that goes on", {}, "pending"],
    ["of a task whose process died, which can be resumed", { owner: DEAD, task: "t" }, "pending"],
  ] as const)("of a single command %s", (_, { owner, task, ended }: { owner?: string; task?: string; ended?: boolean }, state) => {
    const { approvals, id, card } = asked();
    const row = { id: card.runId, workspace: "/w", policyName: "p", policyDigest: "d", policyFile: null, model: null, isUnattended: false, startedAtMs: 1 };
    approvals.store.runs.start({ ...row, task: task ?? null, owner: owner ?? ownerOfThisProcess() });
    if (ended === true) approvals.store.runs.end(card.runId, "failed", 2);
    expect(listApprovals(approvals, { state: "pending" })).toHaveLength(state === "pending" ? 1 : 0);
    expect(answerApproval(approvals, id, YES)).toMatchObject(state === "pending" ? { kind: "taken" } : { kind: "gone", state });
  });

  test("that is unknown cannot be answered", () => {
    const { approvals } = asked();
    expect(answerApproval(approvals, "approval-none", YES)).toEqual({ kind: "gone", state: "unknown" });
    expect(showApproval(approvals, "approval-none")).toBeNull();
  });

  test("of high risk is never granted for the run", () => {
    const { approvals, id } = asked({ risk: "high" });
    expect(answerApproval(approvals, id, { ...YES, scope: "this-run" })).toMatchObject({ approval: { scope: "once" } });
    expect(rememberedAnswer(approvals, BOUND.run, BOUND.rulingDigest, "digest-of-the-call")).toBeNull();
  });

  test("is listed with its state", () => {
    const { approvals, clock, id } = asked();
    expect(listApprovals(approvals, { state: "pending" }).map((approval) => approval.id)).toEqual([id]);
    clock.advance(1_000);
    expect(listApprovals(approvals, { state: "pending" })).toEqual([]);
    expect(listApprovals(approvals, { state: "expired", run: BOUND.run }).map((approval) => approval.id)).toEqual([id]);
  });

  test("whose card was swapped for another one's is not shown as it", () => {
    const { approvals, id } = asked();
    const database = new Database(approvals.store.paths.database);
    database.prepare("UPDATE approvals SET card = ? WHERE id = ?").run(JSON.stringify(exampleCard({ approvalId: "approval-other", commands: ["ls"] })), id);
    database.close();
    expect(() => showApproval(approvals, id)).toThrow(expect.objectContaining({ code: "store-unavailable" }));
  });
});

describe("what is remembered in a run", () => {
  test("a grant for the run, for the same ruling only; a grant once, not at all", () => {
    const once_ = asked();
    answerApproval(once_.approvals, once_.id, YES);
    expect(rememberedAnswer(once_.approvals, BOUND.run, BOUND.rulingDigest, "digest-of-the-call")).toBeNull();
    const { approvals, id } = asked();
    answerApproval(approvals, id, { ...YES, scope: "this-run" });
    expect(rememberedAnswer(approvals, BOUND.run, BOUND.rulingDigest, "digest-of-the-call")).toMatchObject({ kind: "granted", by: "ann" });
    expect(rememberedAnswer(approvals, BOUND.run, "another ruling", "digest-of-the-call")).toBeNull();
    expect(rememberedAnswer(approvals, "another run", BOUND.rulingDigest, "digest-of-the-call")).toBeNull();
  });

  test("a refusal, which wins over a grant", () => {
    const { approvals, id, card } = asked();
    answerApproval(approvals, id, NO);
    const second = { ...card, approvalId: "approval-000000000002" };
    requestApproval(approvals, second, "call-2", "digest-of-the-call");
    answerApproval(approvals, second.approvalId, { ...YES, scope: "this-run" });
    expect(rememberedAnswer(approvals, BOUND.run, BOUND.rulingDigest, "digest-of-the-call")).toMatchObject({ kind: "refused", by: "bob" });
    expect(rememberedAnswer(approvals, BOUND.run, "another ruling", "digest-of-the-call")).toBeNull();
  });
});

describe("over several processes", () => {
  test("one of them claims an approval", async () => {
    const state = join(temporaryDirectory(), "state");
    const approvals = { store: temporaryStore(state), clock: systemClock };
    for (let round = 0; round < 4; round += 1) {
      const card = exampleCard({ approvalId: `approval-${round}`, expiresAtMs: systemClock.nowMs() + 600_000 });
      requestApproval(approvals, card, "call-1", "c");
      answerApproval(approvals, card.approvalId, YES);
      const claimers = Array.from({ length: 3 }, () =>
        startProgram("claim-approval", state, card.approvalId, BOUND.run, BOUND.rulingDigest, BOUND.policyDigest),
      );
      for (const claimer of claimers) await once(claimer.stdout, "data");
      const answers = claimers.map(async (claimer) => {
        const [data] = (await once(claimer.stdout, "data")) as [Buffer];
        return data.toString().trim();
      });
      for (const claimer of claimers) claimer.stdin.write("go\n");
      expect((await Promise.all(answers)).toSorted()).toEqual(["false", "false", "true"]);
    }
  });
});

describe("a question", () => {
  const channel = (ask: (signal: AbortSignal) => Promise<ApprovalAnswer>) => ({ name: "test", ask: (_card: unknown, signal: AbortSignal) => ask(signal) });
  const never = (signal: AbortSignal): Promise<ApprovalAnswer> =>
    new Promise((resolve) => {
      signal.addEventListener("abort", () => {
        resolve({ kind: "nobody", reason: "taken away" });
      });
    });
  const question = (ask: ((signal: AbortSignal) => Promise<ApprovalAnswer>) | null, signal = new AbortController().signal) => {
    const clock = movableClock();
    const approvals = { store: temporaryStore(), clock };
    const card = exampleCard({ expiresAtMs: clock.nowMs() + 60_000 });
    const answer = askPerson(approvals, { card, callId: "call-1", callDigest: "c", channels: ask === null ? [] : [channel(ask)], signal });
    return { approvals, clock, card, answer };
  };

  test("is answered by whoever answers first: another process, while the prompt still waits", async () => {
    let wasTakenAway = false;
    const { approvals, card, answer } = question(async (signal) => {
      const end = await never(signal);
      wasTakenAway = true;
      return end;
    });
    answerApproval(approvals, card.approvalId, { ...NO, message: "from the other one" });
    expect(await answer).toEqual({ ...NO, message: "from the other one" });
    await Promise.resolve();
    expect(wasTakenAway).toBe(true);
  });

  test("the answer that was stored first stands against the channel's", async () => {
    const asking: ReturnType<typeof question> = question(async () => {
      await Promise.resolve();
      answerApproval(asking.approvals, asking.card.approvalId, NO);
      return YES;
    });
    expect(await asking.answer).toEqual(NO);
  });

  test("expires when nobody answers", async () => {
    const { clock, answer, approvals, card } = question(never);
    clock.advance(60_000);
    expect(await answer).toMatchObject({ kind: "nobody" });
    expect(stateOf(approvals, card.approvalId)).toBe("expired");
  });

  test("ends when the run is cancelled, and cannot be granted afterwards", async () => {
    const cancel = new AbortController();
    const { approvals, card, answer } = question(never, cancel.signal);
    cancel.abort();
    expect(await answer).toMatchObject({ kind: "nobody" });
    expect(answerApproval(approvals, card.approvalId, YES)).toEqual({ kind: "gone", state: "expired" });
  });

  test("with nobody to ask is nobody's answer at once", async () => {
    expect(await question(null).answer).toEqual({ kind: "nobody", reason: "there is nobody to ask in this run" });
  });
});
