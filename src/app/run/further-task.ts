import { redactSecrets } from "../../audit/entries/redact.ts";
import { AgentError } from "../../base/errors.ts";
import { makeVisibleLine } from "../../base/text.ts";
import type { RunHooks } from "../../gate/hooks/run-hooks.ts";
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

/** A further task as it is kept, without what a command could have from a variable, as it is recorded, and what hooks warned of. */
export type FurtherTask = { readonly kept: string; readonly recorded: string; readonly warnings: readonly string[] };

/** Reads what a person asks for, before anything of the run is taken up. Throws `usage` where a hook keeps it out. */
export async function furtherTask(
  said: string,
  hooks: RunHooks,
  { runId, signal }: { readonly runId: string; readonly signal: AbortSignal },
): Promise<FurtherTask> {
  const { block, warnings } = await hooks.prompt({ runId, text: said, source: "task" }, signal);
  if (block !== null)
    throw new AgentError("usage", `The task was not taken: hook ${block.hook}: ${block.reason}`, {
      remedy: "The run is as it was. Ask it for something else.",
    });
  const kept = createRedaction(secretsIn(process.env, 8)).text(said.toWellFormed());
  return { kept, recorded: redactSecrets(kept), warnings };
}
