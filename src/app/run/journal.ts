import { type Continuation, continuationOf, type Journal, type RunStep } from "../../agent/journal.ts";
import { labelsIn } from "../../agent/history/kept-labels.ts";
import type { Label } from "../../policy/label.ts";
import { addUsage } from "../../agent/usage.ts";
import { redactFor } from "../../audit/entries/redact.ts";
import { settleAudit, type AuditLog } from "../../audit/log/log.ts";
import type { Clock } from "../../base/clock.ts";
import { AgentError } from "../../base/errors.ts";
import type { KeptStepRow, StepRow } from "../../store/rows/steps.ts";
import type { Store } from "../../store/store.ts";

/** What a step changed of what the run has read: sha256 by path. */
type Seen = readonly (readonly [path: string, sha256: string])[];
/** `model`: who gave the answer; absent in steps of an older Warder, and where nothing was answered. */
export type StoredStep = RunStep & { readonly seen?: Seen; readonly model?: string; /** Its place among the run's steps. */ readonly seq: number };

/** Steps of runs that did nothing for so long are forgotten: a conversation holds what a person may not want kept. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1_000;

export type StepPlace = { readonly audit: AuditLog; readonly runId: string };

/**
 * Keeps a run's steps in the store, each on disk before the next thing happens, the outcome of its call with it. `seen`: what the gate knows that the
 * run has read. `answering`: the model that gave the last answer.
 */
export function journalOf({ audit, runId }: StepPlace, seen: ReadonlyMap<string, string>, answering?: () => string): Journal {
  const { store, clock } = audit;
  let known = new Map(seen);
  const stored = (made: RunStep, changed: Seen): Omit<StepRow, "atMs"> => {
    // What a command can have from a variable need not stand in what a person said.
    const step = made.kind === "note" && made.isPersons === true ? { ...made, text: redactFor(audit)(made.text) } : made;
    const model = step.kind !== "result" && step.usage !== undefined && answering !== undefined ? { model: answering() } : {};
    const { kind, ...body } = changed.length === 0 ? { ...step, ...model } : { ...step, ...model, seen: changed };
    return { kind, body: JSON.stringify(body) };
  };
  return {
    record: (...made) => {
      const changed = [...seen].filter(([path, hash]) => known.get(path) !== hash);
      known = new Map(seen);
      const rows = made.map((step, index) => stored(step, index === 0 ? changed : []));
      settleAudit(audit, () => {
        store.exclusively(() => {
          for (const row of rows) store.steps.add(runId, { ...row, atMs: clock.nowMs() });
        });
      });
    },
  };
}

/** A run's steps: those that hold, and those that a rewind took back. */
export type KeptSteps = { readonly steps: readonly StoredStep[]; readonly takenBack: readonly StoredStep[] };

/** `labels`: of all that its model was given in the steps that hold, also of what was summed up since. */
type Known = { readonly seen: ReadonlyMap<string, string>; readonly labels: readonly Label[] };

/** A run's steps, and what it had read and been given by then. */
export function readSteps(store: Store, runId: string): KeptSteps & Known & { readonly lastAtMs: number | null } {
  const rows = store.exclusively(() => store.steps.list(runId));
  const holding = rows.filter(({ rewind }) => rewind === null);
  const steps = holding.map((row) => stepOf(row, runId));
  const takenBack = rows.filter(({ rewind }) => rewind !== null).map((row) => stepOf(row, runId));
  return { steps, takenBack, seen: new Map(steps.flatMap((step) => step.seen ?? [])), labels: labelsIn(steps, runId), lastAtMs: holding.at(-1)?.atMs ?? null };
}

/** Also those that were taken back: they are paid for. */
export function allSteps(store: Store, runId: string): readonly StoredStep[] {
  const { steps, takenBack } = readSteps(store, runId);
  return [...steps, ...takenBack];
}

/** Where a run goes on. What was taken back is spent nonetheless, and no call of it is given again. */
export function continuationAt(task: string, { steps, takenBack }: KeptSteps, note?: string): Continuation {
  const there = continuationOf(task, steps, note);
  return {
    ...there,
    usage: takenBack.reduce((sum, step) => (step.kind === "result" || step.usage === undefined ? sum : addUsage(sum, step.usage)), there.usage),
    elapsedMs: takenBack.reduce((most, { elapsedMs }) => Math.max(most, elapsedMs), there.elapsedMs),
    callIds: new Set([...there.callIds, ...callsIn(takenBack)]),
  };
}

/** The ids of the calls that steps have. */
export function callsIn(steps: readonly RunStep[]): readonly string[] {
  return steps.flatMap((step) => (step.kind === "message" ? step.parts.flatMap((part) => (part.kind === "tool-call" ? [part.callId] : [])) : []));
}

/** The tools that steps call, as the model named them. */
export function namesCalled(steps: readonly RunStep[]): readonly string[] {
  return steps.flatMap((step) => (step.kind === "message" ? step.parts.flatMap((part) => (part.kind === "tool-call" ? [part.name] : [])) : []));
}

/** Forgets what is too old to go on from. */
export function pruneSteps(store: Store, clock: Clock): void {
  store.exclusively(() => {
    store.steps.prune(clock.nowMs() - KEPT_MS);
  });
}

// Written by `journalOf`; anything else in its place is a damaged store.
function stepOf(row: KeptStepRow, runId: string): StoredStep {
  let body: unknown;
  try {
    body = JSON.parse(row.body);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    body = null;
  }
  if (typeof body !== "object" || body === null || !("elapsedMs" in body))
    throw new AgentError(
      "store-unavailable",
      `A step of ${runId} is damaged in the store, so the run cannot go on. Its changes can be reviewed: warder changes list ${runId}`,
    );
  return { ...body, kind: row.kind, seq: row.seq } as unknown as StoredStep;
}
