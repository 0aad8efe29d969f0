import { authenticate, readAuditKey } from "../../audit/chain/key.ts";
import { settleAudit } from "../../audit/log/log.ts";
import { AgentError } from "../../base/errors.ts";
import type { GateParts } from "../gate-parts.ts";

/** As much as tells two values of one variable apart. */
const MARK_CHARACTERS = 16;

/**
 * For each variable that the policy passes to commands a mark of its value: a run that goes on in another environment is another one. Made with the key of
 * the log, for marks are recorded, and a short value could be guessed from a plain digest of it.
 */
export function variableMarks({ session, store, audit }: Pick<GateParts, "session" | "store" | "audit">): Readonly<Record<string, string>> {
  const variables = Object.entries(session.profile.env);
  if (variables.length === 0) return {};
  // The first record of all makes the key.
  if (store.audit.end() === null) settleAudit(audit);
  const key = readAuditKey(store.paths.keys);
  if (key === null) throw new AgentError("audit-unavailable", "The audit key is gone, so nobody can say whether the environment is the same.");
  return Object.fromEntries(variables.map(([name, value]) => [name, authenticate(key, "variable", `${name}=${value}`).slice(0, MARK_CHARACTERS)]));
}
