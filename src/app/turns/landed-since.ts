import type { AuditLog } from "../../audit/log/log.ts";
import { tailAudit } from "../../audit/log/read.ts";

/** More records than a run leaves. */
const MAX_RECORDS = 100_000;

/** Whether something of a run landed in its workspace after a record of the log, or was rebased, and was not taken back since. */
export function landedSince(audit: AuditLog, run: string, after: number): boolean {
  const landed = new Set<string>();
  for (const { seq, kind, payload } of tailAudit(audit, { run, limit: MAX_RECORDS })) {
    if (seq <= after) continue;
    if (kind === "changes-rebased") return true;
    // A branch is beside the workspace.
    if (kind === "changes-applied" && typeof payload["branch"] !== "string") for (const path of pathsOf(payload["applied"])) landed.add(path);
    if (kind === "changes-undone" && payload["what"] === "landing") for (const path of pathsOf(payload["undone"])) landed.delete(path);
  }
  return landed.size > 0;
}

/** Of names as they are recorded, `kind path` each. A list too long to be recorded is not nothing. */
function pathsOf(names: unknown): readonly string[] {
  return Array.isArray(names) ? names.map((name) => String(name).replace(/^[a-z]+ /u, "")) : ["…"];
}
