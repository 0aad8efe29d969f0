import { appendAudit, type AuditLog } from "../../audit/log/log.ts";
import { readAudit } from "../../audit/log/read.ts";
import { systemClock } from "../../base/clock.ts";
import { budgetOf } from "../../budgets/accounts.ts";
import { release, reserve, spend } from "../../budgets/budget.ts";
import { readSecrets } from "../../config/secrets.ts";
import { isStopped } from "../../gate/stop-switch.ts";
import { hasNetwork } from "../../policy/matching/network-entries.ts";
import { addTraffic, type SessionTraffic } from "../../sandbox/egress/session.ts";
import type { OpenOptions } from "../../sandbox/runtime.ts";
import type { Records } from "../records/records.ts";
import { storedPath } from "../records/stored-path.ts";
import type { WorkspaceContext } from "../setup/context.ts";

type Use = Parameters<NonNullable<OpenOptions["onCredentialUse"]>>[0];

/**
 * What a run's sandbox is told of its way out: the values of its credentials, and where connections and uses are recorded and
 * counted. Throws `bad-configuration` for a secret that cannot be read.
 */
export function egressOptions(
  { policy, workspace }: WorkspaceContext,
  { store, audit }: Records,
  { runId, job }: { readonly runId: string; readonly job: string | null },
): Pick<OpenOptions, "secrets" | "spent" | "onConnection" | "onCredentialUse" | "isNetworkStopped"> {
  const budget = budgetOf(policy, { workspace, runId, job }, { store, clock: systemClock });
  const recordUse = (use: Use, decision: "allow" | "deny", reason: string): void => {
    appendAudit(audit, { run: runId, payload: { kind: "credential-used", ...use, path: storedPath(use.path, audit), decision, reason } });
  };
  return {
    isNetworkStopped: () => isStopped(store, { run: runId, isNetwork: true }),
    spent: !hasNetwork(policy.sandbox.network) ? new Map() : trafficOf(audit, runId),
    secrets: readSecrets(policy.sandbox.network.credentials ?? [], process.env),
    onConnection: (connection) => {
      const request = connection.request === null ? null : { ...connection.request, path: storedPath(connection.request.path, audit) };
      appendAudit(audit, { run: runId, payload: { kind: "connection", ...connection, request } });
    },
    // Counted before it is recorded, recorded before it happens: a process that dies in between has spent an action, and never hidden a use.
    onCredentialUse: (use) => {
      if (isStopped(store, { run: runId, isNetwork: true })) {
        recordUse(use, "deny", "stop-switch");
        return false;
      }
      const reservation = reserve(budget, { actions: 1 });
      if (reservation.kind === "spent") {
        recordUse(use, "deny", "budget-actions");
        return false;
      }
      try {
        recordUse(use, "allow", "credential");
      } catch (error) {
        release(budget, reservation);
        throw error;
      }
      spend(budget, reservation);
      return true;
    },
  };
}

/** What went out and came in under this run's name so far, as the log has it: a run that goes on does not begin its limits anew. */
function trafficOf(audit: AuditLog, run: string): SessionTraffic {
  const traffic: SessionTraffic = new Map();
  for (const { payload } of readAudit(audit, { run, kind: "connection" }))
    addTraffic(traffic, {
      host: String(payload["host"]),
      bytesUp: Number(payload["bytesUp"]),
      bytesDown: Number(payload["bytesDown"]),
      reason: String(payload["reason"]),
      request: payload["request"] as { readonly path: string } | null,
    });
  return traffic;
}
