import { createWriteStream } from "node:fs";
import { join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { archiveBefore } from "../../../app/records/log-upkeep.ts";
import { readSink, sendTo } from "../../../app/records/sink.ts";
import { openRecords, withRecords, type Records } from "../../../app/records/records.ts";
import { readAudit } from "../../../audit/log/read.ts";
import { checkpointPublicKey, signCheckpoint } from "../../../audit/checkpoints/checkpoint.ts";
import { traceOf } from "../../../audit/log/trace.ts";
import { systemClock } from "../../../base/clock.ts";
import { readSettings, type Settings } from "../../../config/settings.ts";
import { AgentError } from "../../../base/errors.ts";
import { durationMs } from "../../../policy/text/quantity.ts";
import { flatRecord } from "../../view/audit-record.ts";
import { readMoment, readSelection, type Selection } from "../../input/record-filter.ts";
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

export type CheckpointOptions = { readonly to?: string; readonly publicKey?: boolean };

/** `warder audit checkpoint`: signs the end of the log and prints it, or sends it to where the log's owner cannot change it. */
export function checkpoint(options: CheckpointOptions): number {
  const sink = options.to === undefined ? null : readSink(options.to);
  return withRecords(({ audit }) => {
    if (options.publicKey === true) {
      process.stdout.write(checkpointPublicKey(audit));
      return EXIT.done;
    }
    const signed = signCheckpoint(audit);
    if (signed === null) throw new AgentError("usage", "The audit log is empty: there is nothing to sign.");
    if (sink === null) process.stdout.write(`${visibleJson(signed)}\n`);
    else sendTo(sink, signed);
    return EXIT.done;
  });
}
