import { deliverQuestions } from "../../../app/approvals/deliver-questions.ts";
import { giveAnswer } from "../../../app/approvals/answers.ts";
import { openRecords, withRecords, type Records } from "../../../app/records/records.ts";
import { listApprovals, showApproval, type Approval, type PersonsAnswer } from "../../../approvals/approval.ts";
import { wholeCard } from "../../../approvals/whole-card.ts";
import { terminalChannel } from "../../../approvals/terminal/channel.ts";
import { grantedFor } from "../../../approvals/grant.ts";
import { ownAccount } from "../../../approvals/terminal/account.ts";
import { AgentError } from "../../../base/errors.ts";
import { makeVisibleLine, visibleJson } from "../../../base/text.ts";
import { EXIT } from "../../process/exit-code.ts";
import { paint } from "../../view/style.ts";

/** `warder approvals list`: the open questions. Those that a webhook was not told of yet are posted once more, behind the list. */
export async function list(options: { json?: boolean }): Promise<number> {
  const records = openRecords();
  try {
    const open = listApprovals(records.approvals, { state: "pending" });
    if (options.json === true) process.stdout.write(`${visibleJson({ approvals: open })}\n`);
    else if (open.length === 0) process.stdout.write("No open questions.\n");
    else
      for (const approval of open)
        process.stdout.write(
          `${approval.id}  ${approval.card.risk}  ${approval.runId}${approval.card.asker === undefined ? "" : ` (a sub-agent of ${approval.card.asker.parent})`}  ${makeVisibleLine(approval.card.commands.join("; ") || approval.card.input)}\n`,
        );
    const say = (line: string): void => void process.stderr.write(`${makeVisibleLine(line)}\n`);
    await deliverQuestions(records, { signal: new AbortController().signal, say });
    return EXIT.done;
  } finally {
    records.store.close();
  }
}

/** `warder approvals show ID`: the whole card, and what came of it. */
export function show(id: string): number {
  return withRecords((records) => {
    const approval = find(records, id);
    const by = [...approval.approvers, ...(approval.answeredBy === null ? [] : [approval.answeredBy])];
    const who = by.length === 0 ? "" : `, by ${makeVisibleLine([...new Set(by)].join(", "))}`;
    process.stdout.write(`${wholeCard(approval.card, process.stdout.columns ?? 120, paint).join("\n")}\nState: ${approval.state}${who}\n`);
    return EXIT.done;
  });
}

/** `warder approvals grant ID`: shows the card at the terminal and asks there, so that nothing but a person can say yes. */
export async function grant(id: string): Promise<number> {
  const records = openRecords();
  try {
    const approval = find(records, id);
    if (approval.state !== "pending") throw new AgentError("usage", `${id} is ${approval.state}; only a pending question can be answered.`);
    const answer = await terminalChannel(records.approvals).ask(approval.card, new AbortController().signal);
    if (answer.kind === "nobody") throw new AgentError("usage", `Nothing was granted: ${answer.reason}. A grant needs a person at a terminal.`);
    return take(records, approval, answer);
  } finally {
    records.store.close();
  }
}

/** `warder approvals refuse ID`: a no needs no terminal. */
export function refuse(id: string, options: { message?: string }): number {
  return withRecords((records) =>
    take(records, find(records, id), {
      kind: "refused",
      scope: "once",
      by: ownAccount(),
      ...(options.message === undefined ? {} : { message: options.message }),
    }),
  );
}

function take(records: Records, approval: Approval, answer: PersonsAnswer): number {
  const { id } = approval;
  const receipt = giveAnswer(records, approval, answer);
  if (receipt.kind === "gone") throw new AgentError("usage", `${id} was not answered: it is ${receipt.state} now.`);
  if (receipt.kind === "unconfirmed") throw new AgentError("usage", `${id} was not granted: ${receipt.reason}.`);
  const { approvers } = receipt.approval;
  if (receipt.kind === "counted") process.stdout.write(`${id}: ${approvers.length} of ${approval.card.needed} yeses; another person must say yes, too\n`);
  else process.stdout.write(`${id}: ${receipt.approval.state}${answer.kind === "granted" ? `, ${whatFor(records, receipt.approval)}` : ""}\n`);
  return EXIT.done;
}

function whatFor({ approvals }: Records, { id, scope }: Approval): string {
  return makeVisibleLine(grantedFor(approvals, id, scope ?? "once"));
}

function find(records: Records, id: string): Approval {
  const approval = showApproval(records.approvals, id);
  if (approval === null) throw new AgentError("usage", `There is no approval ${makeVisibleLine(id)}.`, { remedy: "See: warder approvals list" });
  return approval;
}
