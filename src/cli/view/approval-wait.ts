import { showApproval, type Approvals } from "../../approvals/approval.ts";
import type { GateEvent } from "../../gate/gate.ts";

/** A question that nobody could be asked is over before. */
const QUIET_MS = 2_000;

/**
 * Says on standard error what a call waits for, how long, and how to answer it, if no terminal shows the question itself: an answer to a webhook may
 * take half an hour. `end` cancels a notice that was not printed yet.
 */
export function waitingNotice(approvals: Approvals): { readonly show: (event: GateEvent) => void; readonly end: () => void } {
  let timer: NodeJS.Timeout | null = null;
  const end = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
  };
  const tell = (id: string, rule: string): void => {
    const asked = showApproval(approvals, id);
    if (asked?.state !== "pending") return;
    const until = new Date(asked.expiresAtMs).toISOString();
    process.stderr.write(`warder: waits for a person until ${until} (rule ${rule}); then it is refused. Answer: warder approvals grant ${id} (or refuse)\n`);
  };
  return {
    show: (event) => {
      if (event.kind === "approval-answered") end();
      if (event.kind !== "approval-requested" || process.stderr.isTTY) return;
      end();
      timer = setTimeout(tell, QUIET_MS, event.approvalId, event.rule);
    },
    end,
  };
}
