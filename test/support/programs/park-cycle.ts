// Takes runs below ROOT through ask, park, approve, take over, claim and outcome, one after the other; what a dead process left is taken up first.
// Each run's one call appends the run's id to `ran` in the workspace. Arguments: ROOT COUNT [FAULT AT]: after AT transactions of the store
// the FAULT comes: `kill` this process, `full` or `read-only` disk (by the command in $DISK_FAULT).
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { answerOfBegun } from "../../../src/app/open-step.ts";
import { answerApproval, reopenClaimed, showApproval } from "../../../src/approvals/approval.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { newId } from "../../../src/base/ids.ts";
import { loadPolicy } from "../../../src/config/load-policy.ts";
import { createGate } from "../../../src/gate/create-gate.ts";
import { isOwnerDead, ownerOfThisProcess } from "../../../src/store/process-owner.ts";
import type { RunRow } from "../../../src/store/run-rows.ts";
import { openStore, type Store } from "../../../src/store/store.ts";
import { createRegistry } from "../../../src/tools/registry.ts";
import { hostSession } from "../host-session.ts";

const [root = "", count = "1", fault = "none", at = "0"] = process.argv.slice(2);
const [workspace, home] = [join(root, "workspace"), join(root, "home")];
const store = faulty(openStore(join(root, "state")));
const clock = systemClock;
const approvals = { store, clock };
const audit = { store, clock };
const { policy } = loadPolicy(join(root, "policy.yaml"), { workspace, home, stateDirectory: store.paths.directory });
const owner = ownerOfThisProcess();

/** The store, with a fault before the transaction whose number is `at`. */
function faulty(whole: Store): Store {
  let transactions = 0;
  return {
    ...whole,
    exclusively: (work) => {
      transactions += 1;
      if (transactions === Number(at)) {
        if (fault === "kill") process.kill(process.pid, "SIGKILL");
        else if (fault !== "none") execFileSync("sh", ["-c", process.env["DISK_FAULT"] ?? "exit 1"]);
      }
      return whole.exclusively(work);
    },
  };
}

async function drive(run: string): Promise<void> {
  const part = { kind: "tool-call", callId: `call-${run}`, name: "shell", input: { command: `echo ${run} >> ran` } } as const;
  for (;;) {
    // As `warder run --resume` does: what had begun is answered from the log, and not done again.
    if (answerOfBegun(audit, run, { part, problem: null }) !== null) return void store.runs.end(run, "begun-before", clock.nowMs());
    const gate = createGate({
      runId: run,
      policy,
      tools: createRegistry(),
      setting: { workspace, home },
      session: hostSession(policy, workspace, home),
      store,
      audit,
      clock,
      channels: [],
      asking: "park",
      approvalTimeoutMs: 600_000,
      ownPaths: [store.paths.directory],
    });
    const end = await gate.runToolCall({ id: part.callId, name: part.name, input: part.input }, { signal: new AbortController().signal, emit: () => null });
    if (end.kind !== "parked") return void store.exclusively(() => store.runs.end(run, end.kind, clock.nowMs()));
    const approval = end.approvalId ?? "";
    store.exclusively(() => store.runs.park(run, { owner, approval, nowMs: clock.nowMs() }));
    if (showApproval(approvals, approval)?.state === "pending") answerApproval(approvals, approval, { kind: "granted", scope: "once", by: "cycle@test" });
    if (!takeOver(run)) return;
  }
}

function takeOver(run: string): boolean {
  const isTaken = store.exclusively(() => {
    const row = store.runs.byId(run);
    if (row === null || row.endedAtMs !== null) return false;
    return store.runs.takeOver(run, { from: row.owner, isDead: isOwnerDead(row.owner), to: owner, policyDigest: policy.digest });
  });
  if (isTaken) reopenClaimed(approvals, run);
  return isTaken;
}

const isLeft = (row: RunRow): boolean => row.endedAtMs === null && row.owner !== owner && isOwnerDead(row.owner);
process.stdout.write("ready\n");
for (const row of store.runs.list(10_000).filter(isLeft)) if (takeOver(row.id)) await drive(row.id);
for (let index = 0; index < Number(count); index += 1) {
  const id = newId("run");
  store.exclusively(() => {
    store.runs.start({
      id,
      workspace,
      policyName: policy.name,
      policyDigest: policy.digest,
      policyFile: null,
      task: "cycle",
      model: null,
      isUnattended: true,
      owner,
      startedAtMs: clock.nowMs(),
    });
  });
  await drive(id);
}
