import { join } from "node:path";
import { listApprovals } from "../../approvals/approval.ts";
import { ownAccount } from "../../approvals/terminal/account.ts";
import { appendAuditTogether } from "../../audit/log/log.ts";
import type { AuditPayload } from "../../audit/entries/entry.ts";
import { systemClock } from "../../base/clock.ts";
import { AgentError } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import { whileAtRest } from "../../sandbox/turns/at-rest.ts";
import { forgetTurnsAfter } from "../../sandbox/turns/kept.ts";
import { prepareRewind, settleRewind } from "../../sandbox/turns/rewind.ts";
import { isOwnerDead, ownerOfThisProcess } from "../../store/lock/process-owner.ts";
import type { RunRow } from "../../store/rows/runs.ts";
import { endSandboxes, settleOpenRewind } from "../records/open-rewind.ts";
import { openRecords, type Records } from "../records/records.ts";
import { descendantsOf } from "../children/family.ts";
import { rowOf } from "../review/changes.ts";
import { allSteps, callsIn, readSteps } from "../run/journal.ts";
import { pointAt, refuseSubAgent, type TurnPoint, turnPoints } from "./points.ts";

export type Rewound = { readonly run: string; readonly from: number; readonly to: number; readonly workspace: "as-then" | "as-it-is" };

/**
 * Takes a run back to a turn: conversation and workspace are as they were then. What it spent stays spent, what a person allowed since holds no more, and the log
 * keeps everything. Killed at any point, the run is as before or as after once somebody works with it again. Throws `usage` where it cannot go back.
 */
export async function rewindRun(runId: string, to: number): Promise<Rewound> {
  const records = openRecords();
  const { store } = records;
  try {
    rowOf(records, runId);
    await settleOpenRewind(records, runId);
    const directory = join(store.paths.runs, runId);
    pointAt(turnPoints(records, restingRow(records, runId)), to, runId);
    return await whileAtRest(
      directory,
      () => endSandboxes(records),
      async () => {
        // Once more: somebody may have worked with it until now.
        const row = restingRow(records, runId);
        const points = turnPoints(records, row);
        const point = pointAt(points, to, runId);
        const id = newId("rewind");
        if (point.state !== null) await prepareRewind(directory, { id, runId, from: directory, state: point.state });
        try {
          const from = store.steps.turns(runId);
          const workspace = point.state === null ? "as-it-is" : "as-then";
          commit(records, row, { id, point, from, workspace });
          return { run: runId, from, to, workspace };
        } finally {
          settleRewind(directory, (each) => store.runs.byId(runId)?.rewind === each);
          forgetTurnsAfter(directory, store.steps.turns(runId));
        }
      },
    );
  } finally {
    store.close();
  }
}

/** Throws `usage` for one that is going, or has no turns. */
function restingRow(records: Records, runId: string): RunRow {
  const row = rowOf(records, runId);
  if (row.task === null) throw new AgentError("usage", `${runId} was one command, which has no turns.`);
  refuseSubAgent(row);
  if (row.endedAtMs === null && row.parkedAtMs === null && !isOwnerDead(row.owner))
    throw new AgentError("usage", `${runId} is going on now, in another process.`);
  return row;
}

type Back = { readonly id: string; readonly point: TurnPoint; readonly from: number; readonly workspace: Rewound["workspace"] };

/** All of it, or nothing: from here on the run has gone back. */
function commit({ store, audit, approvals }: Records, row: RunRow, { id, point, from, workspace }: Back): void {
  const by = ownAccount();
  const nowMs = systemClock.nowMs();
  appendAuditTogether(audit, () => {
    if (!store.runs.rewind(row.id, { from: row.owner, isDead: isOwnerDead(row.owner), to: ownerOfThisProcess(), rewind: id, ending: "rewound", nowMs }))
      throw new AgentError("usage", `${row.id} was taken up by another process just now.`);
    const gone = new Set(callsIn(readSteps(store, row.id).steps.filter(({ seq }) => seq > point.lastSeq)));
    // What sub-agents were allowed goes with the call that started them.
    const children = store.runs.children(row.id).filter(({ parentCall }) => gone.has(parentCall?.split("/")[0] ?? ""));
    const below = children.flatMap((child) => [child.id, ...descendantsOf(store, child.id).map((each) => each.row.id)]);
    const calls = [
      ...[...gone].map((call) => [row.id, call] as const),
      ...below.flatMap((run) => callsIn(allSteps(store, run)).map((call) => [run, call] as const)),
    ];
    const open = [row.id, ...below].flatMap((run) =>
      (["pending", "granted"] as const).flatMap((state) => listApprovals(approvals, { run, state, limit: 1_000 })),
    );
    for (const [run, call] of [...calls, ...open.map(({ runId, callId }) => [runId, callId] as const)]) {
      // Grants first: they are found by the approval that they came from.
      store.grants.takeBack(run, call, by, nowMs);
      store.approvals.takeBack(run, call);
    }
    store.steps.takeBack(row.id, { afterSeq: point.lastSeq, rewind: id });
    const voided = open.map(({ id: approval, callId: call, state: was, card: { rulingDigest: ruling } }): AuditPayload => ({
      kind: "approval-void",
      call,
      approval,
      was,
      bound: ruling,
      ruling,
    }));
    return [...voided, { kind: "run-rewound" as const, rewind: id, to: point.turn, from, workspace, by }].map((payload) => ({ run: row.id, payload }));
  });
}
