import { join, resolve } from "node:path";
import { archiveBefore } from "../../../app/records/log-upkeep.ts";
import { withRecords } from "../../../app/records/records.ts";
import { systemClock } from "../../../base/clock.ts";
import type { Settings } from "../../../config/settings.ts";
import { readSettings } from "../../../config/settings-file.ts";
import { AgentError } from "../../../base/errors.ts";
import { durationMs } from "../../../policy/text/quantity.ts";
import { readMoment } from "../../input/record-filter.ts";
import { EXIT } from "../../process/exit-code.ts";
import { visibleJson } from "../../../base/text.ts";

export type ArchiveOptions = { readonly before?: string; readonly olderThan?: string; readonly to?: string; readonly json?: boolean };

/** `warder audit archive`: moves old records into a file of their own. */
export function archive(options: ArchiveOptions): number {
  return withRecords(({ audit, store }) => {
    const directory = options.to === undefined ? join(store.paths.directory, "archive") : resolve(options.to);
    const archived = archiveBefore(audit, momentOf(options, readSettings(store.paths.directory)), directory);
    if (options.json === true) process.stdout.write(`${visibleJson(archived)}\n`);
    else if (archived === null) process.stdout.write("No record is that old.\n");
    else process.stdout.write(`Records ${archived.first} to ${archived.last} are in ${archived.file}\n`);
    return EXIT.done;
  });
}

/** `--before` or `--older-than`; without either what settings.yaml says. */
function momentOf({ before, olderThan }: ArchiveOptions, { archiveAfterMs }: Settings): number {
  const nowMs = systemClock.nowMs();
  if (before !== undefined && olderThan !== undefined) throw new AgentError("usage", "--before and --older-than say the same twice: use one of them.");
  if (before !== undefined) return readMoment("--before", before, nowMs);
  const ageMs = olderThan === undefined ? archiveAfterMs : durationMs(olderThan);
  if (ageMs === null && olderThan !== undefined) throw new AgentError("usage", `--older-than takes a duration (90d, 12h), not ${JSON.stringify(olderThan)}.`);
  if (ageMs === null)
    throw new AgentError("usage", "Say how old the records are that go: --older-than 90d, --before 2026-01-31, or audit.archive-after in settings.yaml.");
  return nowMs - ageMs;
}
