import { setTimeout } from "node:timers/promises";
import { systemClock } from "../../../base/clock.ts";
import { visibleJson } from "../../../base/text.ts";
import type { AuditRecord } from "../../../audit/entries/entry.ts";
import { readAudit, tailAudit } from "../../../audit/log/read.ts";
import { openRecords } from "../../../app/records/records.ts";
import { flatRecord, recordLine } from "../../view/audit-record.ts";
import { readSelection, type Selection } from "../../input/record-filter.ts";
import { EXIT } from "../../process/exit-code.ts";
import { withInterrupt } from "../../process/interrupt.ts";
import { wholeNumber } from "../../input/whole-number.ts";

export type TailOptions = Selection & { readonly limit: string; readonly follow?: boolean; readonly json?: boolean };

/** How often the log is looked at for more: an append takes about a millisecond, a person reads slower. */
const FOLLOW_MS = 200;

/** `warder audit tail`: the newest records that match, the oldest of them first; with `--follow` those that come, until interrupted. */
export async function tail(options: TailOptions): Promise<number> {
  const limit = wholeNumber("--limit", options.limit, 1, 100_000);
  const selection = readSelection(options, systemClock.nowMs());
  const records = openRecords();
  try {
    const show = (record: AuditRecord): void => void process.stdout.write(`${options.json === true ? visibleJson(flatRecord(record)) : recordLine(record)}\n`);
    let after = records.store.audit.last()?.seq ?? 0;
    const newest = tailAudit(records.audit, { ...selection, limit }).filter(({ seq }) => seq <= after);
    newest.forEach(show);
    if (options.follow !== true) {
      if (newest.length === 0 && options.json !== true) process.stdout.write(after === 0 ? "No records yet.\n" : "No record matches.\n");
      return EXIT.done;
    }
    await withInterrupt(async (signal) => {
      while (!signal.aborted) {
        const last = records.store.audit.last()?.seq ?? 0;
        if (last > after) for (const record of readAudit(records.audit, { ...selection, after })) if (record.seq <= last) show(record);
        after = last;
        await setTimeout(FOLLOW_MS, undefined, { signal }).catch(() => undefined);
      }
    });
    return EXIT.interrupted;
  } finally {
    records.store.close();
  }
}
