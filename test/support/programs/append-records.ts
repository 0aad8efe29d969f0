// Appends COUNT records to the log below STATE, printing the sequence of each as soon as it was appended.
import { appendAudit } from "../../../src/audit/log/log.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { openStore } from "../../../src/store/store.ts";

const [state = "", count = "0", name = ""] = process.argv.slice(2);
const log = { store: openStore(state), clock: systemClock };
for (let index = 0; index < Number(count); index += 1) {
  const record = appendAudit(log, { run: name, payload: { kind: "run-end", ending: "done", detail: "x".repeat(200) } });
  process.stdout.write(`${record.seq}\n`);
}
