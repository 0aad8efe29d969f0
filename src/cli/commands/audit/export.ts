import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { openRecords, type Records } from "../../../app/records/records.ts";
import { readAudit } from "../../../audit/log/read.ts";
import { traceOf } from "../../../audit/log/trace.ts";
import { systemClock } from "../../../base/clock.ts";
import { AgentError } from "../../../base/errors.ts";
import { flatRecord } from "../../view/audit-record.ts";
import { readSelection, type Selection } from "../../input/record-filter.ts";
import { EXIT } from "../../process/exit-code.ts";
import { visibleJson } from "../../../base/text.ts";

export type ExportOptions = Selection & { readonly format: string; readonly output?: string };

/** `warder audit export`: the records that match, as JSON lines, or each run as a trace of OpenTelemetry, one JSON object a line. */
export async function exportAudit(options: ExportOptions): Promise<number> {
  const selection = readSelection(options, systemClock.nowMs());
  const records = openRecords();
  try {
    const lines = options.format === "otlp" ? traceLines(records, selection) : recordLines(records, selection);
    if (options.output === undefined) for (const line of lines) process.stdout.write(line);
    else await pipeline(lines, createWriteStream(options.output, { flags: "wx", mode: 0o600 }));
    return EXIT.done;
  } catch (error) {
    const { syscall, message } = error as NodeJS.ErrnoException;
    if (options.output === undefined || syscall === undefined) throw error;
    const isOpened = syscall !== "open";
    throw new AgentError(
      isOpened ? "store-unavailable" : "usage",
      isOpened
        ? `The export ${options.output} is not whole: ${message}. Remove it, make space, and export again.`
        : `The export cannot be written: ${message}. Name a new file in a directory that exists.`,
      { cause: error },
    );
  } finally {
    records.store.close();
  }
}

function* recordLines({ audit }: Records, selection: ReturnType<typeof readSelection>): Generator<string, void, void> {
  for (const record of readAudit(audit, selection)) yield `${visibleJson(flatRecord(record))}\n`;
}

/** A trace has all records of its run: what matches says only which runs are meant. */
function* traceLines({ audit }: Records, selection: ReturnType<typeof readSelection>): Generator<string, void, void> {
  const runs = new Set<string>();
  for (const { run } of readAudit(audit, selection)) if (run !== null) runs.add(run);
  for (const run of runs) yield `${visibleJson(traceOf(run, [...readAudit(audit, { run })]))}\n`;
}
