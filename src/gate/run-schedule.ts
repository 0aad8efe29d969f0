import { appendAuditWith } from "../audit/log/log.ts";
import { AgentError } from "../base/errors.ts";
import type { ScheduleHandle } from "../tools/contract/run-handles.ts";
import { permitOwnWork } from "./calls/perform-action.ts";
import type { Progress } from "./calls/progress.ts";
import type { RunSchedule, ScheduleChange } from "./schedule-change.ts";
import type { RuledCall } from "./ruling/ruled-call.ts";

/** Jobs that a run proposes: ruled on, in the log, and held until a person confirms them. */
export function scheduleHandle(call: RuledCall, progress: Progress): ScheduleHandle {
  const { parts, labels } = call.gate;
  const { schedule } = parts;
  const change = async (what: "made" | "withdrawn", name: string, find: (schedule: RunSchedule) => ScheduleChange): Promise<string | null> => {
    if (progress.isOver) return "Not done: the call has ended.";
    if (!call.wanted.some((request) => request.kind === "schedule" && request.proposal === what && request.name === name))
      return "Not done: the call did not ask for this job.";
    // A job has a policy alone. What binds a run beside its own would not bind it.
    if (schedule === undefined || (parts.ancestors ?? []).length > 0 || (parts.narrowing?.() ?? []).length > 0)
      return "Not done: a sub-agent changes no jobs. Say in your last answer what should run by the clock.";
    const found = find(schedule);
    if ("problem" in found) return `Not done: ${found.problem}`;
    if (!(await permitOwnWork(call, progress, "schedule", { job: name, proposal: what }))) return `Not done: ${progress.voided ?? "it was stopped"}.`;
    try {
      appendAuditWith(parts.audit, () => ({ run: parts.runId, payload: found.make() }));
      return null;
    } catch (error) {
      if (error instanceof AgentError && error.code === "usage") return `Not done: ${error.message}`;
      progress.fault ??= error;
      return "Not done: it could not be recorded.";
    }
  };
  return {
    propose: (job) => change("made", job.name, (of) => of.propose({ ...job, task: parts.session.redact(job.task.toWellFormed()) }, labels.all())),
    withdraw: (name) => change("withdrawn", name, (of) => of.withdraw(name)),
    list: () => {
      const found = progress.isOver ? [] : (schedule?.list() ?? []);
      progress.labels.push(...found.flatMap((job) => job.labels));
      return Promise.resolve(found);
    },
  };
}
