import { expect, test } from "vitest";
import type { ApprovalRow } from "../../../src/store/rows/approvals.ts";
import { temporaryStore } from "../../support/temporary-store.ts";

const APPROVAL: Omit<ApprovalRow, "id" | "call" | "state" | "scope"> = {
  run: "run-1",
  workspace: "/w",
  tool: "shell",
  rulingDigest: "r",
  callDigest: "c",
  policyDigest: "p",
  risk: "medium",
  card: "{}",
  needed: 1,
  approvers: "[]",
  answeredBy: "ann",
  message: null,
  askedAtMs: 1,
  expiresAtMs: 100,
  answeredAtMs: 2,
};

test("a call that is taken back takes with it what was allowed of it, and neither a refusal nor what another call has", () => {
  const { approvals, grants } = temporaryStore();
  const add = (id: string, call: string, state: ApprovalRow["state"], scope: ApprovalRow["scope"] = "once"): void => {
    approvals.add({ ...APPROVAL, id, call, state, scope });
  };
  add("pending", "gone", "pending", null);
  add("granted", "gone", "granted");
  add("claimed", "gone", "claimed");
  add("standing", "gone", "consumed", "this-run");
  add("once", "gone", "consumed");
  add("refused", "gone", "refused", "this-run");
  add("other", "kept", "granted", "this-run");
  approvals.add({ ...APPROVAL, id: "elsewhere", run: "run-2", call: "gone", state: "granted", scope: "this-run" });
  for (const [id, approval] of [
    ["grant-gone", "standing"],
    ["grant-kept", "other"],
  ] as const)
    grants.add({
      id,
      key: "k",
      run: "run-1",
      kind: "command",
      pattern: "[]",
      effects: "[]",
      place: "/w",
      job: null,
      jobRevision: null,
      exactly: null,
      approval,
      grantedBy: "ann",
      grantedAtMs: 1,
      expiresAtMs: null,
    });
  grants.takeBack("run-1", "gone", "bob", 5);
  approvals.takeBack("run-1", "gone");
  const states = ["pending", "granted", "claimed", "standing", "once", "refused", "other", "elsewhere"].map((id) => approvals.byId(id)?.state);
  expect(states).toEqual(["void", "void", "void", "void", "consumed", "refused", "granted", "granted"]);
  expect(approvals.answered("run-1", "r", "c").map(({ id, state }) => [id, state])).toContainEqual(["standing", "void"]);
  expect(grants.standing("k", "run-1", { nowMs: 6, exactly: null }).map(({ id }) => id)).toEqual(["grant-kept"]);
  expect(grants.byId("grant-gone")).toMatchObject({ revokedBy: "bob", revokedAtMs: 5 });
});
