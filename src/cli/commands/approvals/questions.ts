import { appendAudit } from "../../../audit/log/log.ts";
import { deliverQuestions } from "../../../app/approvals/deliver-questions.ts";
import { giveAnswer } from "../../../app/approvals/answers.ts";
import { openRecords, withRecords, type Records } from "../../../app/records/records.ts";
import { listApprovals, showApproval, type Approval, type PersonsAnswer } from "../../../approvals/approval.ts";
import { listGrants, revokeGrant, type Grant } from "../../../approvals/grant.ts";
import { enroll, enrolledPeople, unenroll } from "../../../approvals/one-time-code.ts";
import { renderCard } from "../../../approvals/render-card.ts";
import { ownAccount, showAtTerminal, terminalChannel } from "../../../approvals/terminal/channel.ts";
import { AgentError } from "../../../base/errors.ts";
import { makeVisibleLine, visibleJson } from "../../../base/text.ts";
import { EXIT } from "../../process/exit-code.ts";
import { confirmedByPerson } from "../../input/confirmation.ts";

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
          `${approval.id}  ${approval.card.risk}  ${approval.runId}  ${makeVisibleLine(approval.card.commands.join("; ") || approval.card.input)}\n`,
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
    process.stdout.write(`${renderCard(approval.card, process.stdout.columns ?? 120)}State: ${approval.state}${who}\n`);
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

/** `warder approvals grants`: every lasting answer, with what it covers and who gave it. */
export function grants(options: { json?: boolean }): number {
  return withRecords(({ approvals }) => {
    const all = listGrants(approvals);
    if (options.json === true) process.stdout.write(`${visibleJson({ grants: all })}\n`);
    else if (all.length === 0) process.stdout.write("Nothing was granted for longer than one call.\n");
    else for (const each of all) process.stdout.write(`${explained(each)}\n`);
    return EXIT.done;
  });
}

/** `warder approvals revoke GRANT`: at once, for every process. Taking away needs no terminal. */
export function revoke(id: string): number {
  return withRecords(({ approvals, audit }) => {
    const by = ownAccount();
    if (!revokeGrant(approvals, id, by)) throw new AgentError("usage", `There is no standing grant ${makeVisibleLine(id)}. See: warder approvals grants`);
    appendAudit(audit, { run: null, payload: { kind: "grant-revoked", grant: id, by } });
    process.stdout.write(`${id}: revoked\n`);
    return EXIT.done;
  });
}

/**
 * `warder approvals enroll NAME`: makes the secret of a person's one-time codes and shows it once, at the terminal. Where somebody is enrolled, one of them
 * vouches with a code that this is another person: nothing else on this machine could tell.
 */
export async function enrollPerson(person: string): Promise<number> {
  const records = openRecords();
  try {
    const people = enrolledPeople(records.approvals);
    if (people.includes(person)) throw new AgentError("usage", `${person} is enrolled already. To enrol anew: warder approvals unenroll ${person}`);
    const vouched =
      people.length === 0
        ? ""
        : `\nWhere two persons have to say yes, ${person} counts as another one than ${people.join(", ")}. Who confirms this with a code vouches for that.`;
    const text = `${makeVisibleLine(person)} will be able to confirm with one-time codes what a policy wants confirmed.${vouched}`;
    const by = await confirmedByPerson(records, { text, word: "enroll", otherwise: "Nobody was enrolled." });
    enrollAndShow(records, person, by);
    return EXIT.done;
  } finally {
    records.store.close();
  }
}

/** A secret that nobody was shown goes again: what wants its codes, the release of the stop switch and its own removal, would be closed to everybody. */
function enrollAndShow({ approvals, audit }: Records, person: string, by: string): void {
  const uri = enroll(approvals, person);
  let isShown = false;
  try {
    appendAudit(audit, { run: null, payload: { kind: "approver-enrolled", person, by } });
    // To the terminal and nowhere else: standard output may be a file.
    isShown = showAtTerminal(`Add this to an authenticator app now; it is not shown again:\n${uri}\n`);
  } finally {
    if (!isShown) unenroll(approvals, person);
  }
  if (isShown) return;
  appendAudit(audit, { run: null, payload: { kind: "approver-removed", person, by: "warder" } });
  throw new AgentError("usage", "The terminal is gone, so nobody was enrolled.");
}

/** `warder approvals unenroll NAME`: takes a person's one-time codes away, with a code of theirs or of another enrolled person. */
export async function unenrollPerson(person: string): Promise<number> {
  const records = openRecords();
  try {
    if (!enrolledPeople(records.approvals).includes(person)) throw new AgentError("usage", `Nobody of the name ${makeVisibleLine(person)} is enrolled.`);
    const text = `${person} will confirm nothing with one-time codes any more. Where nobody else is enrolled, what wants a code is refused, and the stop switch is released without one.`;
    const by = await confirmedByPerson(records, { text, word: "unenroll", otherwise: `${person} stays enrolled.` });
    appendAudit(records.audit, { run: null, payload: { kind: "approver-removed", person, by } });
    unenroll(records.approvals, person);
    process.stdout.write(`${person} is enrolled no more.\n`);
    return EXIT.done;
  } finally {
    records.store.close();
  }
}

function explained(grant: Grant): string {
  const what = grant.kind === "command" ? `commands: ${grant.pattern}` : `files written: ${grant.pattern}`;
  const scope =
    grant.run === null ? (grant.expiresAtMs === null ? "until it is revoked" : `until ${new Date(grant.expiresAtMs).toISOString()}`) : `for ${grant.run}`;
  const lines = [
    `${grant.id}  ${grant.state}${grant.revokedBy === null ? "" : ` by ${grant.revokedBy}`}`,
    `  ${what}`,
    `  only in ${grant.place}, only ${grant.effects.join(", ")}, never at high risk; what a policy denies or asks about by a rule stays so`,
    `  ${scope}; by ${grant.by} on ${new Date(grant.atMs).toISOString()} (${grant.approvalId}); used ${grant.uses} times`,
  ];
  return lines.map(makeVisibleLine).join("\n");
}

function take(records: Records, approval: Approval, answer: PersonsAnswer): number {
  const { id } = approval;
  const receipt = giveAnswer(records, approval, answer);
  if (receipt.kind === "gone") throw new AgentError("usage", `${id} was not answered: it is ${receipt.state} now.`);
  if (receipt.kind === "unconfirmed") throw new AgentError("usage", `${id} was not granted: ${receipt.reason}.`);
  const { approvers } = receipt.approval;
  if (receipt.kind === "counted") process.stdout.write(`${id}: ${approvers.length} of ${approval.card.needed} yeses; another person must say yes, too\n`);
  else process.stdout.write(`${id}: ${receipt.approval.state}\n`);
  return EXIT.done;
}

function find(records: Records, id: string): Approval {
  const approval = showApproval(records.approvals, id);
  if (approval === null) throw new AgentError("usage", `There is no approval ${makeVisibleLine(id)}. See: warder approvals list`);
  return approval;
}
