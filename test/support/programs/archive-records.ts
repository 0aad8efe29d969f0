// Appends to the log below STATE for ever, archives all but the newest now and then into DIRECTORY, and prints each sequence as soon as it was appended.
import { archiveAudit } from "../../../src/audit/archive.ts";
import { appendAudit } from "../../../src/audit/log/log.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { openStore } from "../../../src/store/store.ts";

const [state = "", directory = ""] = process.argv.slice(2);
const log = { store: openStore(state), clock: systemClock };
for (;;) {
  const record = appendAudit(log, { run: "run-1", payload: { kind: "run-end", ending: "done" } });
  process.stdout.write(`${record.seq}\n`);
  if (record.seq % 3 === 0) archiveAudit(log, systemClock.nowMs(), directory);
}
