import type { ApprovalChannel } from "../../approvals/channel.ts";
import type { Asking, Planning } from "../../gate/gate-parts.ts";
import type { Policy } from "../../policy/policy.ts";
import type { Store } from "../../store/store.ts";

/** Whether a run still plans, kept with the run: an approved plan stays so over all its suspensions. */
export function planningOf(store: Store, runId: string, state: "open" | "approved"): Planning {
  let isOpen = state === "open";
  return {
    isOpen: () => isOpen,
    leave: (digest) => {
      store.runs.setPlan(runId, digest);
      isOpen = false;
    },
  };
}

type Described = {
  readonly channels?: readonly ApprovalChannel[];
  readonly canAsk: boolean;
  readonly answers?: "later";
  readonly task: string | null;
  readonly plan?: "open" | "approved";
};

/** What one command asks for is answered now or not at all; a task has a conversation to come back to. A plan waits for a person in any case. */
export function askingOf({ channels, canAsk, answers, task, plan }: Described, policy: Policy): Asking {
  if (answers === "later") return "park";
  if (channels !== undefined || canAsk) return "wait";
  return task !== null && (plan !== undefined || policy.unattended.onAsk === "park") ? "park" : "deny";
}
