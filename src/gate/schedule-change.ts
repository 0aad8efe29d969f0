import type { AuditPayload } from "../audit/entries/entry.ts";
import type { Label } from "../policy/label.ts";
import type { ScheduledJob, WantedJob } from "../tools/contract/run-handles.ts";

/** A change of the schedule that may be made. `make`: within the transaction that records it; throws `usage` when it may no longer be made. */
export type ScheduleChange = { readonly make: () => AuditPayload } | { readonly problem: string };

/** What the schedule above the gate does for a run. */
export type RunSchedule = {
  readonly propose: (job: WantedJob, labels: readonly Label[]) => ScheduleChange;
  readonly withdraw: (name: string) => ScheduleChange;
  readonly list: () => readonly ScheduledJob[];
};
