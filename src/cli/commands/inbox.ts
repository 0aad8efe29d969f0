import { readInbox } from "../../app/inbox.ts";
import { withRecords } from "../../app/records/records.ts";
import { systemClock } from "../../base/clock.ts";
import { visibleJson } from "../../base/text.ts";
import { EXIT } from "../process/exit-code.ts";
import { inboxText } from "../view/inbox.ts";

/** `warder inbox`: what waits for a person, over all runs. */
export function inbox(options: { readonly json?: boolean }): number {
  return withRecords((records) => {
    const items = readInbox(records);
    const { columns } = process.stdout;
    process.stdout.write(options.json === true ? `${visibleJson({ items })}\n` : inboxText(items, { nowMs: systemClock.nowMs(), columns }));
    return EXIT.done;
  });
}
