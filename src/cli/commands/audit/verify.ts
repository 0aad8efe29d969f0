import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { AgentError } from "../../../base/errors.ts";
import { systemClock } from "../../../base/clock.ts";
import { makeVisibleLine, visibleJson } from "../../../base/text.ts";
import type { AuditRecord } from "../../../audit/entries/entry.ts";
import { readAudit, tailAudit } from "../../../audit/log/read.ts";
import { verifyAudit, type AuditProblem, type AuditReport } from "../../../audit/verify/verify.ts";
import { judgeCheckpoints } from "../../../audit/checkpoints/checkpoint.ts";
import { judgeKept } from "../../../app/records/log-upkeep.ts";
import { openRecords, withRecords } from "../../../app/records/records.ts";
import { readSettings } from "../../../config/settings.ts";
import { flatRecord, recordLine } from "../../view/audit-record.ts";
import { readSelection, type Selection } from "../../input/record-filter.ts";
import { EXIT } from "../../process/exit-code.ts";
import { withInterrupt } from "../../process/interrupt.ts";
import { paint } from "../../view/style.ts";
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

/** `warder audit verify`: exit 0 when the log is whole, 1 when it was touched. A call without an end is said, and is no tampering. */
export function verify(options: { json?: boolean; checkpoints?: string }): number {
  return withRecords(({ audit, store }) => {
    const named = options.checkpoints === undefined ? [] : judgeCheckpoints(audit, readText(options.checkpoints)).problems;
    const report = withProblems(verifyAudit(audit), [...judgeKept(audit, readSettings(store.paths.directory)), ...named]);
    if (options.json === true) {
      process.stdout.write(`${visibleJson(report)}\n`);
      return report.isIntact ? EXIT.done : EXIT.failed;
    }
    for (const problem of report.problems) process.stdout.write(`${paint("red", `record ${problem.seq}`)}: ${makeVisibleLine(problem.what)}\n`);
    for (const call of report.interrupted) process.stdout.write(`${paint("yellow", `record ${call.seq}`)}: ${makeVisibleLine(call.what)}\n`);
    for (const { first, last, file, state } of report.archives)
      process.stdout.write(`records ${first} to ${last}: ${ARCHIVE_TEXT[state]} ${makeVisibleLine(file)}\n`);
    const summary = report.isIntact
      ? paint("green", `The audit log is whole: ${report.records} records.`)
      : paint("red", `The audit log was touched: ${report.problems.length} problems in ${report.records} records.`);
    process.stdout.write(`${summary}\n`);
    return report.isIntact ? EXIT.done : EXIT.failed;
  });
}

const ARCHIVE_TEXT = { whole: "archived, and whole, in", touched: "archived in", absent: "archived, and not verified, since there is no" } as const;

/** The problems of the log itself, and what the checkpoints show, each said once. */
function withProblems(report: AuditReport, shown: readonly AuditProblem[]): AuditReport {
  const known = new Set<string>();
  const problems = [...report.problems, ...shown].filter(({ seq, what }) => known.size < known.add(`${seq} ${what}`).size);
  return { ...report, problems, isIntact: problems.length === 0 };
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new AgentError("usage", `The checkpoints ${path} cannot be read: ${error instanceof Error ? error.message : "unknown fault"}.`, { cause: error });
  }
}
