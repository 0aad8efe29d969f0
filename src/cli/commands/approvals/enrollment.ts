import { appendAudit } from "../../../audit/log/log.ts";
import { openRecords, type Records } from "../../../app/records/records.ts";
import { enroll, enrolledPeople, unenroll } from "../../../approvals/one-time-code.ts";
import { showAtTerminal } from "../../../approvals/terminal/device.ts";
import { AgentError } from "../../../base/errors.ts";
import { makeVisibleLine } from "../../../base/text.ts";
import { EXIT } from "../../process/exit-code.ts";
import { confirmedByPerson } from "../../input/confirmation.ts";

/**
 * `warder approvals enroll NAME`: creates a person's TOTP secret and shows it once, at the terminal. If anybody is enrolled already, one of them vouches
 * with a code that this is another person: nothing else on this machine could tell.
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

/** A secret that was not shown is removed again. Otherwise its owner could confirm nothing, and nobody could remove it or release the stop switch. */
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
