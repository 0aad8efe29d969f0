import { appendAudit, type AuditLog } from "../audit/audit-log.ts";
import type { Store } from "../store/store.ts";

/** Whether the stop switch is engaged. What cannot be read counts as engaged. */
export function isStopped(store: Store): boolean {
  try {
    return store.stop.read()?.state !== "running";
  } catch (error) {
    // Whatever SQLite says: without an answer nothing may run.
    void error;
    return true;
  }
}

/** Engages or releases the stop switch for every process at once. Stopping is done first and recorded then; starting is recorded first. */
export function setStopSwitch(log: AuditLog, state: "stopped" | "running", by: string): void {
  const write = (): void => {
    log.store.exclusively(() => {
      log.store.stop.write({ state, changedBy: by, changedAtMs: log.clock.nowMs() });
    });
  };
  if (state === "stopped") write();
  appendAudit(log, { run: null, payload: { kind: "stop", state, by } });
  if (state === "running") write();
}
