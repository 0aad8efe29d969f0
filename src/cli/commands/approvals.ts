import { openRecords, withRecords, type Records } from "../../app/records.ts";
import { answerApproval, listApprovals, showApproval, type Approval, type PersonsAnswer } from "../../approvals/approval.ts";
import { renderCard } from "../../approvals/render-card.ts";
import { personAtTerminal, terminalChannel } from "../../approvals/terminal.ts";
import { AgentError } from "../../base/errors.ts";
import { makeVisibleLine } from "../../base/text.ts";
import { EXIT } from "../exit-code.ts";

/** `warder approvals list`: the open questions. */
export function list(options: { json?: boolean }): number {
  return withRecords(({ approvals }) => {
    const open = listApprovals(approvals, { state: "pending" });
    if (options.json === true) process.stdout.write(`${JSON.stringify({ approvals: open })}\n`);
    else if (open.length === 0) process.stdout.write("No open questions.\n");
    else
      for (const approval of open)
        process.stdout.write(
          `${approval.id}  ${approval.card.risk}  ${approval.runId}  ${makeVisibleLine(approval.card.commands.join("; ") || approval.card.input)}\n`,
        );
    return EXIT.done;
  });
}

/** `warder approvals show ID`: the whole card. */
export function show(id: string): number {
  return withRecords((records) => {
    const approval = find(records, id);
    process.stdout.write(`${renderCard(approval.card, process.stdout.columns ?? 120)}State: ${approval.state}\n`);
    return EXIT.done;
  });
}

/** `warder approvals grant ID`: shows the card at the terminal and asks there, so that nothing but a person can say yes. */
export async function grant(id: string): Promise<number> {
  const records = openRecords();
  try {
    const approval = find(records, id);
    if (approval.state !== "pending") throw new AgentError("usage", `${id} is ${approval.state}; only a pending question can be answered.`);
    const answer = await terminalChannel().ask(approval.card, new AbortController().signal);
    if (answer.kind === "nobody") throw new AgentError("usage", `Nothing was granted: ${answer.reason}. A grant needs a person at a terminal.`);
    return take(records, id, answer);
  } finally {
    records.store.close();
  }
}

/** `warder approvals refuse ID`: a no needs no terminal. */
export function refuse(id: string, options: { message?: string }): number {
  return withRecords((records) => {
    find(records, id);
    return take(records, id, {
      kind: "refused",
      scope: "once",
      by: personAtTerminal(),
      ...(options.message === undefined ? {} : { message: options.message }),
    });
  });
}

function take(records: Records, id: string, answer: PersonsAnswer): number {
  const receipt = answerApproval(records.approvals, id, answer);
  if (receipt.kind === "gone") throw new AgentError("usage", `${id} was not answered: it is ${receipt.state} now.`);
  process.stdout.write(`${id}: ${receipt.approval.state}\n`);
  return EXIT.done;
}

function find(records: Records, id: string): Approval {
  const approval = showApproval(records.approvals, id);
  if (approval === null) throw new AgentError("usage", `There is no approval ${makeVisibleLine(id)}. See: warder approvals list`);
  return approval;
}
