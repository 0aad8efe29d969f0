import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { answerApproval, listApprovals, withdrawOpen } from "../../../src/approvals/approval.ts";
import type { ApprovalAnswer, ApprovalCard } from "../../../src/approvals/card.ts";
import { appendAudit } from "../../../src/audit/log/log.ts";
import { verifyAudit } from "../../../src/audit/verify/verify.ts";
import { createGate } from "../../../src/gate/create-gate.ts";
import type { CallEnd } from "../../../src/gate/gate.ts";
import { NO, policyText, scene, YES, type Scene } from "../gate-scene.ts";

const shell = (command: string) => ({ name: "shell", input: { command } });

/** Carries out the calls of one turn, until one is parked, as the loop does. */
async function turn({ parts }: Scene, calls: readonly { readonly name: string; readonly input: unknown }[]): Promise<readonly CallEnd["kind"][]> {
  const gate = createGate(parts);
  const asked = calls.map((call, index) => ({ id: `call-${index + 1}`, ...call }));
  const kinds: CallEnd["kind"][] = [];
  for (const [index, call] of asked.entries()) {
    const end = await gate.runToolCall(call, { signal: new AbortController().signal, emit: () => null, following: asked.slice(index + 1) });
    kinds.push(end.kind);
    if (end.kind === "parked") break;
  }
  return kinds;
}

const parking = (policy?: string) => scene({ ...(policy === undefined ? {} : { policy }), change: () => ({ asking: "park" }) });
const approvalsOf = ({ store, clock }: Scene) => ({ store, clock });
const pending = (scenery: Scene) => listApprovals(approvalsOf(scenery), { state: "pending" });
const THREE = [shell("touch a"), shell("touch b"), shell("touch c")];

describe("the questions of one turn", () => {
  test("are stored together when the first parks the run, each on a card that names the others, and one resumption does it all", async () => {
    const scenery = parking();
    expect(await turn(scenery, THREE)).toEqual(["parked"]);
    const open = pending(scenery);
    expect(open.map(({ card }) => card.commands[0])).toEqual(["touch a", "touch b", "touch c"]);
    expect(open.map(({ card }) => card.together.map(({ what }) => what))).toEqual([
      ["touch b", "touch c"],
      ["touch a", "touch c"],
      ["touch a", "touch b"],
    ]);
    expect(scenery.records("approval-requested")).toHaveLength(3);
    for (const { id } of open) answerApproval(approvalsOf(scenery), id, YES as Exclude<ApprovalAnswer, { kind: "nobody" }>);
    expect(await turn(scenery, THREE)).toEqual(["executed", "executed", "executed"]);
    expect(scenery.records("approval-requested")).toHaveLength(3);
    expect(listApprovals(approvalsOf(scenery), { state: "consumed" })).toHaveLength(3);
  });

  test("are answered one by one: a no to one is none to the others", async () => {
    const scenery = parking();
    await turn(scenery, THREE);
    for (const [index, { id }] of pending(scenery).entries())
      answerApproval(approvalsOf(scenery), id, (index === 1 ? NO : YES) as Exclude<ApprovalAnswer, { kind: "nobody" }>);
    expect(await turn(scenery, THREE)).toEqual(["executed", "refused", "executed"]);
  });

  test("are not about what the tool itself would leave alone", async () => {
    const scenery = parking();
    writeFileSync(join(scenery.workspace, "there"), "text\n");
    const edit = { name: "edit_file", input: { path: "there", old_string: "no such text", new_string: "x" } };
    const write = { name: "write_file", input: { path: "there", content: "x" } };
    const calls = [shell("touch a"), edit, write, shell("touch b")];
    expect(await turn(scenery, calls)).toEqual(["parked"]);
    expect(pending(scenery).map(({ card }) => card.commands[0] ?? card.tool)).toEqual(["touch a", "touch b"]);
    for (const { id } of pending(scenery)) answerApproval(approvalsOf(scenery), id, YES as Exclude<ApprovalAnswer, { kind: "nobody" }>);
    expect(await turn(scenery, calls)).toEqual(["executed", "executed", "executed", "executed"]);
    expect(scenery.records("approval-requested")).toHaveLength(2);
    expect(scenery.records("outcome").map(({ payload }) => payload["outcome"])).toEqual(["completed", "failed", "failed", "completed"]);
  });

  test("are told to every channel at once when the run parks", async () => {
    const told: ApprovalCard[] = [];
    const channel = { name: "told", ask: (card: ApprovalCard) => Promise.resolve({ kind: "told" as const }).finally(() => told.push(card)) };
    const scenery = scene({ change: () => ({ asking: "park", channels: [channel] }) });
    await turn(scenery, THREE);
    await expect
      .poll(() => told.map(({ commands, together }) => [commands[0], together.length]))
      .toEqual([
        ["touch a", 2],
        ["touch b", 2],
        ["touch c", 2],
      ]);
  });

  test("are shown together at a terminal, and asked once each", async () => {
    const scenery = scene({ answer: () => YES });
    expect(await turn(scenery, THREE)).toEqual(["executed", "executed", "executed"]);
    expect(scenery.cards.map(({ commands, together }) => [commands[0], together.map(({ what }) => what)])).toEqual([
      ["touch a", ["touch b", "touch c"]],
      ["touch b", ["touch a", "touch c"]],
      ["touch c", ["touch a", "touch b"]],
    ]);
    expect(scenery.records("approval-requested")).toHaveLength(3);
  });

  test("that are equal are one question while it waits", async () => {
    const scenery = parking();
    expect(await turn(scenery, [shell("touch a"), shell("touch a"), shell("touch b")])).toEqual(["parked"]);
    expect(pending(scenery).map(({ card }) => card.commands[0])).toEqual(["touch a", "touch b"]);
  });

  test("count against the limit of questions, and beyond it none is asked", async () => {
    const scenery = parking(policyText({ limits: "{ asks: { max: 2, per: 1h } }" }));
    expect(await turn(scenery, THREE)).toEqual(["parked"]);
    expect(pending(scenery).map(({ card }) => card.commands[0])).toEqual(["touch a", "touch b"]);
    for (const { id } of pending(scenery)) answerApproval(approvalsOf(scenery), id, YES as Exclude<ApprovalAnswer, { kind: "nobody" }>);
    expect(await turn(scenery, THREE)).toEqual(["executed", "executed", "budget"]);
  });

  test("leave out what is allowed, denied, no call, or refused before", async () => {
    const scenery = scene({ answer: (card) => (card.commands[0] === "touch no" ? NO : YES) });
    await turn(scenery, [shell("touch no")]);
    const before = scenery.cards.length;
    await turn(scenery, [shell("touch a"), shell("ls"), shell("touch no"), shell("warder start"), { name: "none", input: {} }, { name: "shell", input: {} }]);
    expect(scenery.cards.slice(before).map(({ together }) => together)).toEqual([[]]);
  });

  test("do not ask ahead about code behind what changes the files that it could load: that yes would be void", async () => {
    const scenery = parking();
    writeFileSync(join(scenery.workspace, "go.sh"), "echo fine");
    await turn(scenery, [shell("touch a"), shell("bash go.sh"), shell("touch b")]);
    expect(pending(scenery).map(({ card }) => card.commands[0])).toEqual(["touch a", "touch b"]);
  });

  test("that changed by the time their call comes are void, and asked again with the difference", async () => {
    const scenery = parking();
    writeFileSync(join(scenery.workspace, "go.sh"), "echo fine");
    const calls = [shell("bash go.sh"), shell("rm go.sh")];
    await turn(scenery, calls);
    expect(pending(scenery).map(({ card }) => card.commands[0])).toEqual(["bash go.sh", "rm go.sh"]);
    for (const { id } of pending(scenery)) answerApproval(approvalsOf(scenery), id, YES as Exclude<ApprovalAnswer, { kind: "nobody" }>);
    writeFileSync(join(scenery.workspace, "go.sh"), "echo other");
    expect(await turn(scenery, calls)).toEqual(["parked"]);
    expect(pending(scenery)[0]?.card.differs).toMatchObject({ isVoided: true });
  });

  test("decide nothing: a call that is denied when its turn comes is denied, whatever was said before", async () => {
    const scenery = parking();
    await turn(scenery, THREE);
    for (const { id } of pending(scenery)) answerApproval(approvalsOf(scenery), id, YES as Exclude<ApprovalAnswer, { kind: "nobody" }>);
    const stricter = { ...scenery, parts: { ...scenery.parts, policy: { ...scenery.parts.policy, digest: "0".repeat(64) } } };
    expect(await turn(stricter, THREE)).toEqual(["parked"]);
    expect(scenery.session.performed).toEqual([]);
  });
});

test("what was asked ahead and never came to its turn is withdrawn when the run is over, and the log has no open end", async () => {
  const scenery = parking();
  await turn(scenery, THREE);
  const open = pending(scenery);
  const withdrawn = withdrawOpen(approvalsOf(scenery), "run-test");
  expect(withdrawn.map(({ id, state }) => [id, state])).toEqual(open.map(({ id }) => [id, "pending"]));
  expect(pending(scenery)).toEqual([]);
  expect(verifyAudit(scenery.parts.audit).interrupted).toHaveLength(3);
  for (const { id, callId, card } of withdrawn)
    appendAudit(scenery.parts.audit, {
      run: "run-test",
      payload: { kind: "approval-void", call: callId, approval: id, was: "pending", bound: card.rulingDigest, ruling: card.rulingDigest },
    });
  expect(verifyAudit(scenery.parts.audit)).toMatchObject({ isIntact: true, interrupted: [] });
});
