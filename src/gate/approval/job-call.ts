import { type JobOffer, jobRevision } from "../../approvals/job-grant.ts";
import { standingGrants, type Grant } from "../../approvals/grant.ts";
import type { GateState } from "../gate-state.ts";
import type { RuledCall } from "../ruling/ruled-call.ts";
import { jobCallDigest } from "../ruling/ruling.ts";

/**
 * The job that a call is made for, as it is now; null where the run is of none, is a sub-agent, or was begun for another task or model than the job has by
 * now: what a person confirmed since is not what this run does.
 */
function jobOf({ parts: { job: name, runId, ancestors = [] }, approvals: { store } }: GateState): { readonly name: string; readonly revision: string } | null {
  if (name === undefined || name === null || ancestors.length > 0) return null;
  const [job, run] = [store.schedule.job(name), store.runs.byId(runId)];
  if (job === null || job.heldBecause !== null || run === null) return null;
  return run.job === name && run.task === job.task && run.model === job.model ? { name, revision: jobRevision(job) } : null;
}

/** What a yes for each run of the job would hold for; null where there is no such yes: what is high risk, or what the policy itself asks about. */
export function jobOffer(call: RuledCall): JobOffer | null {
  const { gate, ruling, binding, judgement, bound } = call;
  const job = jobOf(gate);
  if (job === null || ruling.decision.risk === "high" || (judgement.narrowing ?? "allow") !== "allow") return null;
  const asked = ruling.decision.units.filter(({ verdict }) => verdict === "ask");
  if (asked.length === 0 || asked.some(({ rule }) => rule.step !== "baseline")) return null;
  const exactly = jobCallDigest(binding, job, { decision: ruling.decision, measured: judgement.measured, bound });
  return { ...job, exactly, effects: [...new Set(asked.map(({ unit }) => unit.kind))].toSorted() };
}

/** The grants that a call may rest on. */
export function grantsFor(call: RuledCall): readonly Grant[] {
  const { gate } = call;
  return standingGrants(gate.approvals, gate.grantKey, gate.parts.runId, jobOffer(call)?.exactly ?? null);
}
