import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { NO_USAGE } from "../../agent/usage.ts";
import { ownAccount } from "../../approvals/terminal/account.ts";
import type { AuditPayload } from "../../audit/entries/entry.ts";
import { systemClock } from "../../base/clock.ts";
import { AgentError } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import { copyArtifacts } from "../../gate/kept/artifacts.ts";
import { modelsIn } from "../../providers/contract/model-name.ts";
import { whileAtRest } from "../../sandbox/turns/at-rest.ts";
import { prepareRewind, removeUnborn, settleRewind } from "../../sandbox/turns/rewind.ts";
import { hasOpenRewind } from "../../sandbox/workspace/open-rewind.ts";
import { ownerOfThisProcess } from "../../store/lock/process-owner.ts";
import type { RunRow } from "../../store/rows/runs.ts";
import type { StepRow } from "../../store/rows/steps.ts";
import { endSandboxes, settleOpenRewind } from "../records/open-rewind.ts";
import { openRecords, type Records } from "../records/records.ts";
import { rowOf } from "../review/changes.ts";
import { readSteps } from "../run/journal.ts";
import { startRun } from "../run/start.ts";
import { readContext } from "../setup/context.ts";
import { pointAt, refuseSubAgent, type TurnPoint, turnPoints } from "./points.ts";

export type ForkOptions = {
  /** Null: the last whole one. */
  readonly turn: number | null;
  readonly isUnattended: boolean;
  /** Absent: those of the other run. */
  readonly policy?: string;
  readonly model?: string;
};

/**
 * Makes a run that begins with what another said up to a turn, and with its workspace as it was then; it waits to go on. The other run stays as it is. Nothing that
 * it was granted comes along, and what it spent is its own. Returns the id. Throws `usage` where it cannot be forked from.
 */
export async function forkRun(sourceId: string, options: ForkOptions): Promise<string> {
  const records = openRecords();
  const { store } = records;
  try {
    await forgetUnborn(records);
    const source = rowOf(records, sourceId);
    refuseSubAgent(source);
    if (source.task === null) throw new AgentError("usage", `${sourceId} was one command, which has no turns.`);
    await settleOpenRewind(records, sourceId);
    const context = readContext(options.policy ?? source.policyFile ?? source.policyName, source.workspace);
    const point = pointAt(turnPoints(records, source), options.turn, sourceId);
    const id = newId("run");
    const directory = join(store.paths.runs, id);
    mkdirSync(directory, { mode: 0o700 });
    const fork = { id, rewind: newId("rewind"), source, point };
    const model = options.model ?? source.model;
    await whileAtRest(
      directory,
      () => endSandboxes(records),
      async () => {
        copyArtifacts(store.paths.artifacts, { from: sourceId, to: id, ids: artifactsIn(records, sourceId, point) });
        if (point.state !== null) await prepareRewind(directory, { id: fork.rewind, runId: id, from: join(store.paths.runs, sourceId), state: point.state });
        try {
          const isScripted = model !== null && modelsIn(model).some((name) => name.startsWith("scripted:"));
          // A plan was approved for the other run.
          const plan = source.plan === null ? {} : { plan: "open" as const };
          const forkedFrom = `${sourceId}@${String(point.turn)}`;
          const description = { task: source.task, model, isScripted, canAsk: !options.isUnattended, forkedFrom, ...plan };
          startRun(id, context, description, { records, also: () => [begin(records, fork)] });
        } finally {
          settleRewind(directory, (rewind) => store.runs.byId(id)?.rewind === rewind);
        }
      },
    );
    return id;
  } finally {
    store.close();
  }
}

type Fork = { readonly id: string; readonly rewind: string; readonly source: RunRow; readonly point: TurnPoint };

/** The conversation up to the turn, and the run as one that waits to go on. */
function begin({ store }: Records, { id, rewind, source, point }: Fork): AuditPayload {
  const owner = ownerOfThisProcess();
  for (const row of store.steps.list(source.id)) if (row.rewind === null && row.seq <= point.lastSeq) store.steps.add(id, unspent(row));
  store.runs.rewind(id, { from: owner, isDead: true, to: owner, rewind, ending: "forked", nowMs: systemClock.nowMs() });
  const workspace = point.state === null ? "as-it-is" : "as-then";
  return { kind: "run-forked", from: source.id, turn: point.turn, workspace, by: ownAccount() };
}

/** Those that the results up to the turn name. */
function artifactsIn({ store }: Records, runId: string, { lastSeq }: TurnPoint): readonly string[] {
  const { steps } = readSteps(store, runId);
  return steps.flatMap((step) => (step.kind === "result" && step.seq <= lastSeq && step.part.artifact !== undefined ? [step.part.artifact] : []));
}

/** What an answer took was spent by the other run. */
function unspent({ kind, atMs, body }: StepRow): StepRow {
  const { usage, ...step } = JSON.parse(body) as Readonly<Record<string, unknown>>;
  const counted = kind === "message" && usage !== undefined ? { usage: NO_USAGE } : {};
  return { kind, atMs, body: JSON.stringify({ ...step, ...counted, elapsedMs: 0 }) };
}

/** Of forks whose process ended before there was a run. Whoever makes one now has its lock. */
async function forgetUnborn(records: Records): Promise<void> {
  const { runs } = records.store.paths;
  for (const name of readdirSync(runs)) {
    const directory = join(runs, name);
    if (!hasOpenRewind(directory) || records.store.runs.byId(name) !== null) continue;
    try {
      await whileAtRest(
        directory,
        () => endSandboxes(records),
        () => {
          if (records.store.runs.byId(name) === null) removeUnborn(directory);
          return Promise.resolve();
        },
      );
    } catch (error) {
      if (!(error instanceof AgentError)) throw error;
    }
  }
}
