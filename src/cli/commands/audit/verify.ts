import { AgentError } from "../../../base/errors.ts";
import { makeVisibleLine, visibleJson } from "../../../base/text.ts";
import { verifyAudit, type AuditProblem, type AuditReport } from "../../../audit/verify/verify.ts";
import { judgeCheckpoints } from "../../../audit/checkpoints/checkpoint.ts";
import { judgeKept } from "../../../app/records/log-upkeep.ts";
import { withRecords } from "../../../app/records/records.ts";
import { readSettings } from "../../../config/settings-file.ts";
import { readRegular } from "../../../store/files/regular-file.ts";
import { EXIT } from "../../process/exit-code.ts";
import { paint } from "../../view/style.ts";

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
    return readRegular(path, "usage").toString("utf8");
  } catch (error) {
    if (error instanceof AgentError) throw error;
    throw new AgentError("usage", `The checkpoints ${path} cannot be read: ${error instanceof Error ? error.message : "unknown fault"}.`, {
      cause: error,
      remedy: "Name a file that warder audit checkpoint wrote: --checkpoints FILE",
    });
  }
}
