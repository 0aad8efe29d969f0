import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { reapOverlays } from "../../../src/app/children/children.ts";
import type { Records } from "../../../src/app/records/records.ts";
import { tailAudit } from "../../../src/audit/log/read.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { type WorkspaceRecord, workspacePaths, writeRecord } from "../../../src/sandbox/workspace/record.ts";
import { ownerOfThisProcess } from "../../../src/store/lock/process-owner.ts";
import { deadOwner } from "../../support/dead-owner.ts";
import { temporaryStore } from "../../support/temporary-store.ts";

/** A run that was killed, with a sub-agent and one of that, each with an overlay of its own. */
function killed(
  state: WorkspaceRecord["state"],
  owner = deadOwner(),
): { readonly records: Records; readonly left: (id: string) => boolean; readonly directory: string } {
  const store = temporaryStore();
  const records = { store, audit: { store, clock: systemClock }, approvals: { store, clock: systemClock } };
  const row = { workspace: "/w", policyName: "p", policyDigest: "", policyFile: null, task: "t", model: null, owner, startedAtMs: 1, isUnattended: true };
  store.runs.start({ ...row, id: "run-root" });
  store.runs.start({ ...row, id: "run-child", parent: "run-root", parentCall: "c/0" });
  store.runs.start({ ...row, id: "run-grandchild", parent: "run-child", parentCall: "c/0" });
  for (const id of ["run-root", "run-child", "run-grandchild", "run-none"]) mkdirSync(join(store.paths.runs, id, "layers"), { recursive: true });
  mkdirSync(dirname(workspacePaths(join(store.paths.runs, "run-root")).record), { recursive: true });
  mkdirSync(dirname(workspacePaths(join(store.paths.runs, "run-child")).owner), { recursive: true });
  const user = { uid: 1000, gid: 1000 } as WorkspaceRecord["user"];
  writeRecord(join(store.paths.runs, "run-root"), { version: 1, runId: "run-root", workspace: "/w", user, owner, image: null, state });
  return { records, left: (id) => existsSync(join(store.paths.runs, id)), directory: store.paths.runs };
}

test("overlays of sub-agents go once what their run changed was discarded, and the sub-agents are over", () => {
  const { records, left } = killed("discarded");
  reapOverlays(records);
  expect(["run-root", "run-child", "run-grandchild", "run-none"].filter(left)).toEqual(["run-root", "run-none"]);
  expect(records.store.runs.byId("run-child")).toMatchObject({ ending: "cancelled" });
  expect(records.store.runs.byId("run-root")?.endedAtMs).toBeNull();
  const ended = tailAudit(records.audit, { limit: 10, kind: "run-end" });
  expect(new Set(ended.map(({ run }) => run))).toEqual(new Set(["run-child", "run-grandchild"]));
});

test("they stay while the run may go on with them, is at work, or somebody works with them", () => {
  const waiting = killed("closed");
  reapOverlays(waiting.records);
  const atWork = killed("discarded", ownerOfThisProcess());
  reapOverlays(atWork.records);
  const inUse = killed("discarded");
  writeFileSync(workspacePaths(join(inUse.directory, "run-child")).owner, ownerOfThisProcess());
  reapOverlays(inUse.records);
  expect([waiting, atWork, inUse].map(({ left }) => left("run-child"))).toEqual([true, true, true]);
  expect(waiting.records.store.runs.byId("run-child")?.endedAtMs).toBeNull();
});
