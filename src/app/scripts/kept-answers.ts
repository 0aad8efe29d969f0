import type { CallMark } from "../../agent/calls/refusals.ts";
import type { Label } from "../../policy/label.ts";
import { type AuditLog, deferAudit, settleAudit } from "../../audit/log/log.ts";

/** An answer that a script got, in the order in which it got them. */
export type KeptAnswer = {
  readonly call: number;
  /** Of the call's name and arguments. */
  readonly digest: string;
  readonly isError: boolean;
  readonly text: string;
  /** What the clock of the script said then. */
  readonly nowMs: number;
  readonly mark: CallMark;
  /** Where it came from. */
  readonly labels: readonly Label[];
  /** What the run had read since the answer before: sha256 by path. */
  readonly seen: readonly (readonly [path: string, hash: string])[];
};

/** What a script began with. */
export type ScriptStart = { readonly nowMs: number; readonly seed: number };

export type KeptScript = { readonly start: ScriptStart; readonly answers: readonly KeptAnswer[] };

export type ScriptPlace = { readonly audit: AuditLog; readonly runId: string; readonly callId: string };

const keyOf = ({ runId, callId }: ScriptPlace): string => `${runId}/${callId}`;

/** What is kept of a script that was interrupted; null: nothing of it happened. */
export function readScript(place: ScriptPlace): KeptScript | null {
  const { store } = place.audit;
  // Of this process, too, where it goes on in the same one.
  settleAudit(place.audit);
  const [first, ...rest] = store.exclusively(() => store.steps.list(keyOf(place)));
  if (first === undefined) return null;
  return { start: JSON.parse(first.body) as ScriptStart, answers: rest.map(({ body }) => JSON.parse(body) as KeptAnswer) };
}

export function keepStart(place: ScriptPlace, start: ScriptStart): void {
  keep(place, "note", start);
}

export function keepAnswer(place: ScriptPlace, answer: KeptAnswer): void {
  keep(place, "result", answer);
}

/**
 * On disk with the next record that must be, so at the latest with the permit of the call that could rest on it: what a script does next is never done
 * again with another answer than it had.
 */
function keep(place: ScriptPlace, kind: "note" | "result", value: unknown): void {
  const { audit, runId } = place;
  const step = { kind, atMs: audit.clock.nowMs(), body: JSON.stringify(value) } as const;
  deferAudit(audit, runId, () => {
    audit.store.steps.add(keyOf(place), step);
    return null;
  });
}
