import { appendAudit } from "../../../audit/log/log.ts";
import { withRecords } from "../../../app/records/records.ts";
import { listGrants, revokeGrant, type Grant } from "../../../approvals/grant.ts";
import { ownAccount } from "../../../approvals/terminal/account.ts";
import { AgentError } from "../../../base/errors.ts";
import { makeVisibleLine, visibleJson } from "../../../base/text.ts";
import { EXIT } from "../../process/exit-code.ts";

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

function explained(grant: Grant): string {
  const what =
    grant.job !== null
      ? `exactly, with all that it was bound to: ${grant.pattern}`
      : grant.kind === "command"
        ? `commands: ${grant.pattern}`
        : `files written: ${grant.pattern}`;
  const scope =
    grant.job !== null
      ? `in each run of the job ${grant.job.name}, as long as that is what it was`
      : grant.run === null
        ? grant.expiresAtMs === null
          ? "until it is revoked"
          : `until ${new Date(grant.expiresAtMs).toISOString()}`
        : `for ${grant.run}`;
  const lines = [
    `${grant.id}  ${grant.state}${grant.revokedBy === null ? "" : ` by ${grant.revokedBy}`}`,
    `  ${what}`,
    `  only in ${grant.place}, only ${grant.effects.join(", ")}, never at high risk; what a policy denies or asks about by a rule stays so`,
    `  ${scope}; by ${grant.by} on ${new Date(grant.atMs).toISOString()} (${grant.approvalId}); used ${grant.uses} times`,
  ];
  return lines.map(makeVisibleLine).join("\n");
}
