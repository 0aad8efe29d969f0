import { redactSecrets } from "../../audit/entries/redact.ts";
import { AgentError } from "../../base/errors.ts";
import { makeVisibleLine } from "../../base/text.ts";
import { createRedaction, secretsIn } from "../../sandbox/redaction.ts";
import type { RunRow } from "../../store/rows/runs.ts";
import { withRecords } from "../records/records.ts";
import { realDirectory } from "../setup/context.ts";

/** Endings after which a run has nothing left to do, unless a person asks for more. */
const OVER: ReadonlySet<string> = new Set(["done", "denied", "limit"]);

/** More runs than a person looks back. */
const MAX_RUNS = 1_000;

/** Whether a run is over, and may be asked for more. */
export function isOver({ task, endedAtMs, ending }: RunRow): boolean {
  return task !== null && endedAtMs !== null && ending !== null && OVER.has(ending);
}

/** The newest run of a workspace that had a task. Throws `usage` where there is none. */
export function newestRunOf(directory: string): string {
  const workspace = realDirectory(directory);
  const newest = withRecords(({ store }) => store.runs.list(MAX_RUNS).find((row) => row.workspace === workspace && row.task !== null));
  if (newest !== undefined) return newest.id;
  throw new AgentError("usage", `No run of ${makeVisibleLine(workspace)} can be continued.`, { remedy: "Start one: warder run TASK" });
}

/** A further task as it is kept, without what a command could have from a variable, and as it is recorded. */
export function furtherTask(said: string): { readonly kept: string; readonly recorded: string } {
  const kept = createRedaction(secretsIn(process.env, 8)).text(said.toWellFormed());
  return { kept, recorded: redactSecrets(kept) };
}
