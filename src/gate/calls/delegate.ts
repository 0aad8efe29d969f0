import type { AgentsHandle, DelegationEnd } from "../../tools/contract/tool.ts";
import type { RuledCall } from "../ruling/ruled-call.ts";
import { coversDelegation } from "./action-coverage.ts";
import type { Progress } from "./progress.ts";

/** Sub-agents of one call: of tasks that were ruled on, while the call goes on. A fault ends the run, as one of any action does. */
export function agentsHandle(call: RuledCall, progress: Progress): AgentsHandle {
  const notStarted = (reason: string): DelegationEnd => ({ kind: "not-started", reason });
  return {
    run: async (delegation) => {
      if (progress.isOver) return notStarted("Not started: the call has ended.");
      if (!coversDelegation(call.wanted, delegation.task)) return notStarted("Not started: the call did not ask for this task.");
      if (call.delegate === undefined) return notStarted("Not started: there are no sub-agents here.");
      if (progress.parkedOn !== null) return { kind: "parked", approvalId: progress.parkedOn };
      const index = progress.delegations;
      progress.delegations += 1;
      const going = call.delegate(delegation, { callId: call.ruling.callId, index, signal: call.signal });
      progress.pending.add(going);
      try {
        const { end, work, labels = [] } = await going;
        progress.labels.push(...labels);
        if (work !== null) progress.delegated.push(work);
        if (end.kind === "parked") progress.parkedOn = end.approvalId;
        return end;
      } catch (error) {
        progress.fault ??= error;
        return notStarted("Warder failed while it drove the sub-agent.");
      } finally {
        progress.pending.delete(going);
      }
    },
  };
}
