import { redactSecrets } from "../../audit/entries/redact.ts";
import { systemClock } from "../../base/clock.ts";
import { AgentError } from "../../base/errors.ts";
import { makeVisibleLine } from "../../base/text.ts";
import type { HookCommandRan } from "../../gate/hooks/command-hook.ts";
import { createRedaction, secretsIn } from "../../sandbox/redaction.ts";
import type { RunRow } from "../../store/rows/runs.ts";
import { withPromptHooks } from "../hooks/before-a-run.ts";
import { recordedHooks } from "../hooks/recorded.ts";
import { type Records, withRecords } from "../records/records.ts";
import { realDirectory, type WorkspaceContext } from "../setup/context.ts";
import type { AgentRunOptions } from "./run.ts";
import { openSession } from "./session.ts";

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

type Asking = Pick<AgentRunOptions, "hooks" | "runtime" | "signal" | "emit"> & { readonly records: Records; readonly runId: string };

/** Reads what a person asks for, before anything of the run is taken up. Throws `usage` where a hook keeps it out. */
export async function furtherTask(said: string, context: WorkspaceContext, asking: Asking): Promise<FurtherTask> {
  const { records, runId, hooks, runtime, signal, emit } = asking;
  const stamped = <Event>(event: Event): Event & { readonly runId: string; readonly atMs: number } => ({ runId, atMs: systemClock.nowMs(), ...event });
  const asked = {
    open: (bare: WorkspaceContext, options: Parameters<typeof openSession>[2]) => openSession(bare, records, { ...options, runtime }),
    onHookCommand: (ran: HookCommandRan) => void emit(stamped({ kind: "hook-command" as const, ...ran })),
    ...(hooks && { hooks }),
  };
  const { block, warnings } = await withPromptHooks(context, records, asked, async (all) => {
    const recorded = recordedHooks(all, { audit: records.audit, runId }, (did) => emit(stamped({ kind: "run-hook" as const, ...did })));
    return await recorded.prompt({ runId, text: said, source: "task" }, signal);
  });
  if (block !== null)
    throw new AgentError("usage", `The task was not taken: hook ${block.hook}: ${block.reason}`, {
      remedy: "The run is as it was. Ask it for something else.",
    });
  const kept = createRedaction(secretsIn(process.env, 8)).text(said.toWellFormed());
  return { kept, recorded: redactSecrets(kept), warnings };
}
