import { redactFor } from "../../audit/entries/redact.ts";
import { storedBeginning } from "../../audit/entries/stored-value.ts";
import { appendAudit, type AuditLog } from "../../audit/log/log.ts";
import type { Hook } from "../../gate/hooks/hook.ts";
import { createRunHooks, type RunHookDid, type RunHooks } from "../../gate/hooks/run-hooks.ts";

/** Where what hooks do is recorded. */
export type RunPlace = { readonly audit: AuditLog; readonly runId: string };

/** The hooks of a run. What they do is in the log before anything follows from it; then `tell` hears of it, secrets taken out. */
export function recordedHooks(hooks: readonly Hook[] | undefined, { audit, runId }: RunPlace, tell: (did: RunHookDid) => unknown): RunHooks {
  return createRunHooks(hooks, (said) => {
    const did = { ...said, detail: storedBeginning(said.detail, redactFor(audit)) };
    appendAudit(audit, { run: runId, payload: { kind: "run-hook", ...did } });
    tell(did);
  });
}
