import type { Statements } from "../lock/statements.ts";

export type StepKind = "message" | "result" | "note";

/** One step of a run as it is stored: `body` is JSON. */
export type StepRow = { readonly kind: StepKind; readonly atMs: number; readonly body: string };

/** What runs said and did, in order: what a run goes on from when its process ended. */
export type StepRows = {
  add(run: string, step: StepRow): void;
  /** All steps of a run, the first one first. */
  list(run: string): readonly StepRow[];
  /** Forgets the steps of runs that did nothing since. */
  prune(beforeMs: number): void;
};

export function stepRows(statements: Statements): StepRows {
  const add = statements.prepare(`INSERT INTO steps (run, seq, at, kind, body)
    VALUES (@run, (SELECT coalesce(max(seq), 0) + 1 FROM steps WHERE run = @run), @atMs, @kind, @body)`);
  const list = statements.prepare<[string], StepRow>("SELECT kind, at AS atMs, body FROM steps WHERE run = ? ORDER BY seq");
  const prune = statements.prepare<[number]>("DELETE FROM steps WHERE run IN (SELECT run FROM steps GROUP BY run HAVING max(at) < ?)");
  return {
    add: (run, step) => void add.run({ run, ...step }),
    list: (run) => list.all(run),
    prune: (beforeMs) => void prune.run(beforeMs),
  };
}
