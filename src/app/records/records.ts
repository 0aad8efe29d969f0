import type { Approvals } from "../../approvals/approval.ts";
import type { AuditLog } from "../../audit/log/log.ts";
import { systemClock } from "../../base/clock.ts";
import { stateDirectory } from "../../config/state/directory.ts";
import { openStore, type Store } from "../../store/store.ts";

/** What Warder has recorded on this machine. */
export type Records = { readonly store: Store; readonly audit: AuditLog; readonly approvals: Approvals };

/** Opens the state directory of this process's environment. The caller closes `store`. */
export function openRecords(): Records {
  const store = openStore(stateDirectory(process.env));
  return { store, audit: { store, clock: systemClock }, approvals: { store, clock: systemClock } };
}

/** Opens the records, does `work` on them, and closes them whatever happens. */
export function withRecords<T>(work: (records: Records) => T): T {
  const records = openRecords();
  try {
    return work(records);
  } finally {
    records.store.close();
  }
}
