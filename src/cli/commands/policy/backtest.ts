import { backtest } from "../../../app/policy/backtest/backtest.ts";
import { reportOf } from "../../../app/policy/backtest/report.ts";
import { openRecords } from "../../../app/records/records.ts";
import { systemClock } from "../../../base/clock.ts";
import { visibleJson } from "../../../base/text.ts";
import { readSelection } from "../../input/record-filter.ts";
import { EXIT } from "../../process/exit-code.ts";
import { backtestText } from "../../view/policy/backtest.ts";

export type BacktestOptions = { since: string; until?: string; run?: string; workspace: string; all?: boolean; json?: boolean };

/** `warder policy backtest FILE`: what the policy would have decided about the calls of the audit log. Exit 0, whatever it would have. */
export async function backtestPolicy(file: string, options: BacktestOptions): Promise<number> {
  const { since, until, run } = options;
  const span = readSelection({ since, ...(until !== undefined && { until }), ...(run !== undefined && { run }) }, systemClock.nowMs());
  const records = openRecords();
  try {
    const report = reportOf(await backtest(records.audit, file, span, options.workspace));
    process.stdout.write(options.json === true ? `${visibleJson(report)}\n` : backtestText(report, options.all === true));
    return EXIT.done;
  } finally {
    records.store.close();
  }
}
