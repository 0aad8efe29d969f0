import { appendAuditTogether, type AuditEntry, type AuditLog } from "../audit/log/log.ts";

/** Records what `make` gives, and is fulfilled when that is on disk; rejected when it could not be written, and then nothing of it may happen. */
export type PermitQueue = (make: () => readonly AuditEntry[]) => Promise<void>;

/** Permits of one transaction: with what else waits for one, fewer records than a transaction takes. */
const MOST_TOGETHER = 12;

type Waiting = { readonly make: () => readonly AuditEntry[]; readonly resolve: () => void; readonly reject: (reason: unknown) => void };

/** Permits that are asked for at the same moment go to disk in one transaction: calls that run beside each other wait for one flush, not for ten. */
export function createPermitQueue(audit: AuditLog): PermitQueue {
  const waiting: Waiting[] = [];
  const write = (): void => {
    const batch = waiting.splice(0, MOST_TOGETHER);
    if (waiting.length > 0) setImmediate(write);
    try {
      appendAuditTogether(audit, () => batch.flatMap(({ make }) => make()));
    } catch (error) {
      for (const { reject } of batch) reject(error);
      return;
    }
    for (const { resolve } of batch) resolve();
  };
  return async (make) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    waiting.push({ make, resolve, reject });
    if (waiting.length === 1) setImmediate(write);
    await promise;
  };
}
