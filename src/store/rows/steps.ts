import type { Statements } from "../lock/statements.ts";

export type StepKind = "message" | "result" | "note";

/** One step of a run as it is stored: `body` is JSON. */
export type StepRow = { readonly kind: StepKind; readonly atMs: number; readonly body: string };

/** `rewind`: the one that took it back; null: it holds. */
export type KeptStepRow = StepRow & { readonly seq: number; readonly rewind: string | null };

/** What runs said and did, in order: what a run goes on from when its process ended. */
export type StepRows = {
  add(run: string, step: StepRow): void;
  /** All steps of a run, the first one first, also those that were taken back. */
  list(run: string): readonly KeptStepRow[];
  /** How many answers of a model hold. */
  turns(run: string): number;
  /** Takes back what came after the step of this number; what was taken back before stays so. */
  takeBack(run: string, change: { readonly afterSeq: number; readonly rewind: string }): void;
  /** Forgets the steps of runs that did nothing since. */
  prune(beforeMs: number): void;
};

export function stepRows(statements: Statements): StepRows {
  const add = statements.prepare(`INSERT INTO steps (run, seq, at, kind, body)
    VALUES (@run, (SELECT coalesce(max(seq), 0) + 1 FROM steps WHERE run = @run), @atMs, @kind, @body)`);
  const list = statements.prepare<[string], KeptStepRow>("SELECT seq, kind, at AS atMs, body, rewind FROM steps WHERE run = ? ORDER BY seq");
  const turns = statements.prepare<[string], { readonly turns: number }>(
    "SELECT count(*) AS turns FROM steps WHERE run = ? AND kind = 'message' AND rewind IS NULL",
  );
  const takeBack = statements.prepare("UPDATE steps SET rewind = @rewind WHERE run = @run AND seq > @afterSeq AND rewind IS NULL");
  const prune = statements.prepare<[number]>("DELETE FROM steps WHERE run IN (SELECT run FROM steps GROUP BY run HAVING max(at) < ?)");
  return {
    add: (run, step) => void add.run({ run, ...step }),
    list: (run) => list.all(run),
    turns: (run) => turns.get(run)?.turns ?? 0,
    takeBack: (run, change) => void takeBack.run({ run, ...change }),
    prune: (beforeMs) => void prune.run(beforeMs),
  };
}
