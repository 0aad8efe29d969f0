import { appendAuditTogether } from "../../audit/log/log.ts";
import type { AuditPayload } from "../../audit/entries/entry.ts";
import { redactSecrets } from "../../audit/entries/redact.ts";
import { systemClock } from "../../base/clock.ts";
import { keepWorkspaces } from "../../config/state/workspaces.ts";
import { ownerOfThisProcess } from "../../store/lock/process-owner.ts";
import { keepPolicy } from "../policy/keep.ts";
import type { Records } from "../records/records.ts";
import { writablePlaces, type WorkspaceContext } from "../setup/context.ts";

/** A new run, as its start is recorded. */
export type StartedRun = {
  readonly task: string | null;
  readonly model: string | null;
  readonly isScripted: boolean;
  readonly canAsk: boolean;
  readonly plan?: "open" | "approved";
  readonly job?: string | null;
  readonly forkedFrom?: string;
};

/** As many runs as the places are taken from where agents could write before anybody kept them. */
const MAX_KNOWN_RUNS = 10_000;

/** Row and records are one: a run whose start is not in the log any more was archived, and cannot go on. `also`: written with them, and recorded behind. */
export function startRun(
  id: string,
  context: WorkspaceContext,
  description: StartedRun,
  { records: { store, audit }, also = () => [] }: { readonly records: Records; readonly also?: () => readonly AuditPayload[] },
): void {
  const { policy, workspace } = context;
  const { model, canAsk, isScripted, forkedFrom } = description;
  // A run that goes on reads it from here: what a command can have from a variable need not stand in it.
  const task = description.task === null ? null : (audit.redact?.(description.task) ?? description.task);
  appendAuditTogether(audit, () => {
    keepPolicy(store, policy);
    keepWorkspaces(store.paths.directory, writablePlaces(context), () => store.runs.list(MAX_KNOWN_RUNS).map((row) => row.workspace));
    store.runs.start({
      id,
      workspace,
      policyName: policy.name,
      policyDigest: policy.digest,
      policyFile: context.policyNamed,
      task,
      model,
      job: description.job ?? null,
      ...(forkedFrom === undefined ? {} : { forkedFrom }),
      plan: description.plan ?? null,
      isUnattended: !canAsk,
      owner: ownerOfThisProcess(),
      startedAtMs: systemClock.nowMs(),
    });
    const said = task === null ? null : redactSecrets(task.toWellFormed());
    const { autonomy, digest } = policy;
    const loaded: AuditPayload = { kind: "policy-loaded", name: policy.name, policy: digest, files: policy.files };
    const started: AuditPayload = { kind: "run-start", workspace, policy: digest, autonomy, task: said, model, isScripted };
    return [loaded, started, ...also()].map((payload) => ({ run: id, payload }));
  });
}
