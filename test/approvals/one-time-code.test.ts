import { chmodSync, statSync } from "node:fs";
import { join } from "node:path";
import { URI, type TOTP } from "otpauth";
import { describe, expect, test } from "vitest";
import { answerApproval, claimApproval, requestApproval, showApproval } from "../../src/approvals/approval.ts";
import { askPerson } from "../../src/approvals/question.ts";
import { checkCode, enroll, enrolledPeople, unenroll } from "../../src/approvals/one-time-code.ts";
import { movableClock, temporaryStore } from "../support/temporary-store.ts";
import { exampleCard } from "./example-card.ts";

function place() {
  const clock = movableClock();
  const approvals = { store: temporaryStore(), clock };
  const app = (person: string): (() => string) => {
    const totp = URI.parse(enroll(approvals, person)) as TOTP;
    return () => totp.generate({ timestamp: clock.nowMs() });
  };
  const ask = (change: Parameters<typeof exampleCard>[0]): string => {
    const card = exampleCard({ expiresAtMs: clock.nowMs() + 3_600_000, needsCode: true, ...change });
    requestApproval(approvals, card, "call-1", "c");
    return card.approvalId;
  };
  return { clock, approvals, app, ask };
}

const YES = { kind: "granted", scope: "once", by: "whoever@anywhere" } as const;

describe("a one-time code", () => {
  test("is what an authenticator app shows, thirty seconds early or late", () => {
    const { approvals, app, clock } = place();
    const code = app("ann");
    expect(enrolledPeople(approvals)).toEqual(["ann"]);
    expect(checkCode(approvals, { person: "ann", code: code() })).toMatchObject({ kind: "right" });
    const early = code();
    clock.advance(30_000);
    expect(checkCode(approvals, { person: "ann", code: early })).toMatchObject({ kind: "right" });
    clock.advance(60_000);
    expect(checkCode(approvals, { person: "ann", code: early })).toMatchObject({ kind: "wrong" });
  });

  test.each(["", "000", "1234567", "12345a", " 123456"])("is six digits and not %j", (text) => {
    const { approvals, app } = place();
    app("ann");
    expect(checkCode(approvals, { person: "ann", code: text })).toMatchObject({ kind: "wrong" });
  });

  test("of somebody else, or of nobody who is enrolled, is wrong", () => {
    const { approvals, app } = place();
    const code = app("ann");
    app("bob");
    for (const person of ["bob", "eve", "../ann", "ann.secret"]) expect(checkCode(approvals, { person, code: code() })).toMatchObject({ kind: "wrong" });
  });

  test("is right again after enrolling anew, where one was used while the clock was years ahead", () => {
    const { approvals, app, ask, clock } = place();
    const code = app("ann");
    clock.advance(1_000 * 86_400_000);
    expect(answerApproval(approvals, ask({}), { ...YES, code: { person: "ann", code: code() } })).toMatchObject({ kind: "taken" });
    clock.advance(-1_000 * 86_400_000);
    expect(checkCode(approvals, { person: "ann", code: code() })).toMatchObject({ kind: "wrong", reason: expect.stringContaining("used before") });
    // Who is enrolled is not enrolled over, and an attempt forgets nothing.
    expect(() => app("ann")).toThrow("enrolled already");
    expect(checkCode(approvals, { person: "ann", code: code() })).toMatchObject({ kind: "wrong" });
    unenroll(approvals, "ann");
    const anew = app("ann");
    expect(checkCode(approvals, { person: "ann", code: anew() })).toMatchObject({ kind: "right" });
  });

  test("is guessed five times, and then not for a quarter of an hour, not even right", () => {
    const { approvals, app, clock } = place();
    const code = app("ann");
    const wrong = code() === "000000" ? "000001" : "000000";
    for (let round = 0; round < 5; round += 1) expect(checkCode(approvals, { person: "ann", code: wrong })).toMatchObject({ kind: "wrong" });
    expect(checkCode(approvals, { person: "ann", code: code() })).toEqual({ kind: "wrong", reason: expect.stringContaining("too many") });
    clock.advance(15 * 60_000);
    expect(checkCode(approvals, { person: "ann", code: code() })).toMatchObject({ kind: "right" });
  });

  test("has a secret that only this account reads, made once", () => {
    const { approvals, app } = place();
    app("ann");
    const path = join(approvals.store.paths.keys, "approver-ann.secret");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(() => enroll(approvals, "ann")).toThrow("enrolled already");
    expect(() => enroll(approvals, "../x")).toThrow("A name has");
    chmodSync(path, 0o644);
    expect(() => checkCode(approvals, { person: "ann", code: "123456" })).toThrow("can be read by others");
  });
});

describe("a question that wants a code", () => {
  test("is not granted without one, with a wrong one, or with one that was used", () => {
    const { approvals, app, ask, clock } = place();
    const code = app("ann");
    const [first, second] = [ask({ approvalId: "approval-1" }), ask({ approvalId: "approval-2" })];
    expect(answerApproval(approvals, first, YES)).toMatchObject({ kind: "unconfirmed" });
    expect(answerApproval(approvals, first, { ...YES, code: { person: "ann", code: "000000" } })).toMatchObject({ kind: "unconfirmed" });
    const typed = { person: "ann", code: code() };
    expect(answerApproval(approvals, first, { ...YES, code: typed })).toMatchObject({ kind: "taken", approval: { answeredBy: "ann@code" } });
    expect(answerApproval(approvals, second, { ...YES, code: typed })).toMatchObject({ kind: "unconfirmed", reason: expect.stringContaining("used before") });
    clock.advance(30_000);
    expect(answerApproval(approvals, second, { ...YES, code: { person: "ann", code: code() } })).toMatchObject({ kind: "taken" });
  });

  test("is refused without one", () => {
    const { approvals, ask } = place();
    expect(answerApproval(approvals, ask({}), { kind: "refused", scope: "once", by: "ann" })).toMatchObject({ kind: "taken" });
  });

  test("is granted once only, whatever the answer names", () => {
    const { approvals, app, ask } = place();
    const code = app("ann");
    expect(answerApproval(approvals, ask({}), { ...YES, scope: "this-run", code: { person: "ann", code: code() } })).toMatchObject({
      approval: { scope: "once" },
    });
  });

  test("of a channel that forgets the code is nobody's yes, and is over", async () => {
    const { approvals, clock } = place();
    const card = exampleCard({ expiresAtMs: clock.nowMs() + 60_000, needsCode: true });
    const channel = { name: "library", ask: () => Promise.resolve(YES) };
    expect(await askPerson(approvals, { card, callId: "c", callDigest: "d", channels: [channel], signal: new AbortController().signal })).toMatchObject({
      kind: "nobody",
    });
    expect(showApproval(approvals, card.approvalId)?.state).toBe("expired");
  });
});

describe("a question for two persons", () => {
  test("is granted by two different ones, whatever the channels call themselves", () => {
    const { approvals, app, ask, clock } = place();
    const [ann, bob] = [app("ann"), app("bob")];
    const id = ask({ needed: 2 });
    const bound = { run: exampleCard().runId, rulingDigest: exampleCard().rulingDigest, policyDigest: exampleCard().policyDigest };
    expect(answerApproval(approvals, id, { ...YES, by: "one", code: { person: "ann", code: ann() } })).toMatchObject({
      kind: "counted",
      approval: { state: "pending", approvers: ["ann@code"] },
    });
    clock.advance(30_000);
    expect(answerApproval(approvals, id, { ...YES, by: "two", code: { person: "ann", code: ann() } })).toMatchObject({
      kind: "counted",
      approval: { approvers: ["ann@code"] },
    });
    expect(claimApproval(approvals, id, bound)).toBe(false);
    expect(answerApproval(approvals, id, { ...YES, code: { person: "bob", code: bob() } })).toMatchObject({
      kind: "taken",
      approval: { state: "granted", answeredBy: "ann@code and bob@code" },
    });
    expect(claimApproval(approvals, id, bound)).toBe(true);
  });

  test("is refused by one", () => {
    const { approvals, app, ask } = place();
    const ann = app("ann");
    const id = ask({ needed: 2 });
    answerApproval(approvals, id, { ...YES, code: { person: "ann", code: ann() } });
    expect(answerApproval(approvals, id, { kind: "refused", scope: "once", by: "bob" })).toMatchObject({ kind: "taken", approval: { state: "refused" } });
  });
});
