import { join } from "node:path";
import type { AuditRecord } from "../../audit/entries/entry.ts";
import { tailAudit } from "../../audit/log/read.ts";
import { AgentError } from "../../base/errors.ts";
import type { Records } from "../records/records.ts";
import { keptTurns } from "../../sandbox/turns/kept.ts";
import type { KeptState, KeptTurn } from "../../sandbox/turns/state.ts";
import { keepsItsChanges } from "../../sandbox/workspace/ways.ts";
import type { RunRow } from "../../store/rows/runs.ts";
import { callsIn, readSteps } from "../run/journal.ts";
import { landedSince } from "./landed-since.ts";

/** A turn that a run can go back to, or be forked from; or why not. */
export type TurnPoint = {
  /** How many answers of the model there were; 0: the task alone. */
  readonly turn: number;
  /** The last step that belongs to it; 0: none. */
  readonly lastSeq: number;
  /** What the workspace was; null: it is not kept apart, and stays as it is. */
  readonly state: KeptState | null;
  /** Why it cannot be; null: it can. */
  readonly obstacle: { readonly problem: string; readonly remedy?: string } | null;
};

/** The whole turns of a run, its beginning first. */
export function turnPoints({ store, audit }: Pick<Records, "store" | "audit">, row: RunRow): readonly TurnPoint[] {
  const { steps } = readSteps(store, row.id);
  const [, begun] = row.forkedFrom?.split("@") ?? [];
  const beginning = begun === undefined ? 0 : Number(begun);
  const ends: { turn: number; lastSeq: number }[] = [{ turn: 0, lastSeq: 0 }];
  let turn = 0;
  let open = 0;
  for (const step of steps) {
    if (step.kind === "note") continue;
    if (step.kind === "message") turn += 1;
    open = step.kind === "message" ? callsIn([step]).length : open - 1;
    if (open === 0) ends.push({ turn, lastSeq: step.seq });
  }
  const kept = new Map(keptTurns(join(store.paths.runs, row.id)).map((each) => [each.turn, each]));
  const [opened] = tailAudit(audit, { run: row.id, kind: "sandbox-opened", limit: 1 });
  const isApart = opened === undefined || keepsItsChanges(mountIn(opened));
  return ends.map((end) => {
    if (end.turn < beginning) return { ...end, state: null, obstacle: ofAnother(row, end.turn) };
    if (!isApart) return { ...end, state: null, obstacle: null };
    const known = end.turn === 0 ? AT_THE_START : kept.get(end.turn);
    return { ...end, state: known?.state ?? null, obstacle: obstacleTo(known, row, landedSince(audit, row.id, known?.after ?? 0)) };
  });
}

/** The point of a turn; null: the last whole one. Throws `usage` where a run cannot go back to it. */
export function pointAt(points: readonly TurnPoint[], turn: number | null, runId: string): TurnPoint {
  const point = turn === null ? points.at(-1) : points.find((each) => each.turn === turn);
  if (point === undefined) {
    const last = points.at(-1)?.turn ?? 0;
    throw new AgentError("usage", `${runId} has no whole turn ${String(turn)}: its last is ${String(last)}.`, { remedy: `See: warder runs show ${runId}` });
  }
  if (point.obstacle !== null) {
    const { problem, remedy } = point.obstacle;
    throw new AgentError("usage", problem, remedy === undefined ? {} : { remedy });
  }
  return point;
}

/** Throws `usage` for a sub-agent: its turns are within one of its parent's. */
export function refuseSubAgent({ id, parent }: RunRow): void {
  if (parent !== null) throw new AgentError("usage", `${id} is a sub-agent of ${parent}: its turns are part of one of that run's.`);
}

const AT_THE_START: KeptTurn = { turn: 0, after: 0, atMs: 0, state: { kind: "empty" } };

function obstacleTo(known: KeptTurn | undefined, { id }: RunRow, landed: boolean): TurnPoint["obstacle"] {
  if (known === undefined)
    return { problem: "What the workspace was after this turn was not kept: the process ended before it could be, or it was an older Warder." };
  if (known.state.kind === "none") return { problem: `What the workspace was after this turn is not kept: ${known.state.reason}.` };
  if (!landed) return null;
  return {
    problem: `What ${id} did landed after this turn, and stays landed: the workspace cannot be as it was then.`,
    remedy: `To take the landing back first: warder changes undo ${id}`,
  };
}

function ofAnother({ forkedFrom }: RunRow, turn: number): TurnPoint["obstacle"] {
  const [source = "", at = ""] = forkedFrom?.split("@") ?? [];
  return { problem: `This run began as a fork at turn ${at}.`, remedy: `The turns before are those of ${source}: warder run --fork ${source}@${String(turn)}` };
}

function mountIn({ payload }: AuditRecord): string {
  return typeof payload["mount"] === "string" ? payload["mount"] : "";
}
