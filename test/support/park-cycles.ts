import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";

const POLICY = `version: 1
name: cycle
extends: base
autonomy: supervised
workspace: { roots: [{ path: ".", access: read-write }] }
sandbox: { runtime: docker, workspace: bind, env: [], network: { allow: [] }, command-timeout: 30s, output: 1MiB }
`;

/** Makes ROOT ready for the program `park-cycle`. */
export function preparePlace(root: string): void {
  for (const name of ["workspace", "home"]) mkdirSync(join(root, name), { recursive: true });
  writeFileSync(join(root, "policy.yaml"), POLICY);
}

export type CycleReport = {
  readonly runs: number;
  /** Calls that happened, over all runs. */
  readonly lines: number;
  readonly executed: number;
  /** Begun before a process died, and not done again; of these some did happen and some did not. */
  readonly uncertain: number;
  /** What must never be: each entry is a fault. */
  readonly faults: readonly string[];
};

/** Looks at everything that the cycles left, when all processes have ended and nothing is left to take up. */
export function examineCycles(root: string): CycleReport {
  const lines = existsSync(join(root, "workspace", "ran"))
    ? readFileSync(join(root, "workspace", "ran"), "utf8")
        .split("\n")
        .filter(Boolean)
    : [];
  const times = new Map<string, number>();
  for (const line of lines) times.set(line, (times.get(line) ?? 0) + 1);
  const database = new Database(join(root, "state", "warder.db"), { readonly: true });
  try {
    const runs = database.prepare<[], { id: string; ending: string | null }>("SELECT id, ending FROM runs").all();
    const counts = (sql: string): Map<string, number> =>
      new Map(
        database
          .prepare<[], { run: string; n: number }>(sql)
          .all()
          .map(({ run, n }) => [run, n]),
      );
    const consumed = counts("SELECT run, count(*) AS n FROM approvals WHERE state = 'consumed' GROUP BY run");
    const permits = counts("SELECT run, count(*) AS n FROM audit WHERE kind = 'permit-spent' GROUP BY run");
    const faults: string[] = [];
    for (const [id, n] of times) if (n > 1) faults.push(`${id} ran ${n} times`);
    for (const id of times.keys()) if (!runs.some((run) => run.id === id)) faults.push(`${id} ran and is in no record`);
    for (const { id, ending } of runs) {
      const ran = times.get(id) ?? 0;
      if (ending === null) faults.push(`${id} is lost: it never ended`);
      else if (ending !== "executed" && ending !== "begun-before") faults.push(`${id} ended as ${ending}`);
      if (ending === "executed" && ran !== 1) faults.push(`${id} ended as executed and ran ${ran} times`);
      if ((permits.get(id) ?? 0) > 1) faults.push(`${id} was begun ${permits.get(id) ?? 0} times`);
      // One may have been used up by a process that died before it did anything: then a person was asked again.
      if ((permits.get(id) ?? 0) > (consumed.get(id) ?? 0)) faults.push(`${id} was begun without an approval`);
      if (ran > (consumed.get(id) ?? 0)) faults.push(`${id} ran without an approval`);
    }
    const count = (ending: string): number => runs.filter((run) => run.ending === ending).length;
    return { runs: runs.length, lines: lines.length, executed: count("executed"), uncertain: count("begun-before"), faults };
  } finally {
    database.close();
  }
}
