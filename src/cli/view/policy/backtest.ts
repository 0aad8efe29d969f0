import { type BacktestReport, type CallChange, CHANGES } from "../../../app/policy/backtest/report.ts";
import { makeVisibleLine } from "../../../base/text.ts";
import type { Verdict } from "../../../policy/decision.ts";
import { callText } from "../ruling.ts";
import { counted, cutToWidth, paint } from "../style.ts";
import { unconfirmedLines } from "./unconfirmed.ts";

const COLUMNS = 80;
const MAX_SHOWN = 15;

/** A backtest for a person: the sums then and now, and each kind of call that is decided otherwise, with the rule. `isWhole`: all of them. */
export function backtestText(report: BacktestReport, isWhole: boolean): string {
  const { policy, digest, calls, runs, days, lost, changes, stopped, unconfirmed } = report;
  const unjudged = lost.reduce((sum, { count }) => sum + count, 0);
  return `${[
    `${counted(calls, "call")} of ${counted(runs, "run")} in ${counted(days, "day")}, judged again by ${makeVisibleLine(policy)} (digest ${digest.slice(0, 12)})`,
    ...(unjudged === 0 ? [] : [`${counted(unjudged, "call")} cannot be judged again:`, ...lost.map(({ reason, count }) => `  ${count} × ${reason}`)]),
    "",
    `${" ".repeat(10)}${"then".padStart(8)}${"now".padStart(8)}`,
    ...(["allow", "ask", "deny"] as const).map((verdict) => countLine(report, verdict)),
    ...CHANGES.flatMap((kind) =>
      section(
        kind,
        changes.filter((change) => change.kind === kind),
        isWhole,
      ),
    ),
    ...(stopped.length === 0 ? [] : ["", `${counted(stopped.length, "run")} would have been held up:`]),
    ...shownOf(stopped, isWhole).map(({ run, calls: held }) => `  ${run}: ${counted(held, "call")}`),
    ...moreLine(stopped, isWhole),
    ...(changes.length === 0 && calls > 0 ? ["", "Nothing is decided otherwise."] : []),
    "",
    "Files are measured as they are now, so what has changed since may be judged otherwise.",
    ...unconfirmedLines(unconfirmed),
  ].join("\n")}\n`;
}

function countLine({ before, after, days }: BacktestReport, verdict: Verdict): string {
  const name = { allow: "allowed", ask: "asked", deny: "denied" }[verdict];
  const daily = verdict === "ask" ? `   a day: ${(before.ask / days).toFixed(1)} then, ${(after.ask / days).toFixed(1)} now` : "";
  return `${name.padEnd(10)}${String(before[verdict]).padStart(8)}${String(after[verdict]).padStart(8)}${daily}`;
}

function section(kind: string, changes: readonly CallChange[], isWhole: boolean): readonly string[] {
  if (changes.length === 0) return [];
  const calls = changes.reduce((sum, { count }) => sum + count, 0);
  return ["", `${paint("bold", kind)} (${counted(calls, "call")})`, ...shownOf(changes, isWhole).flatMap(changeLines), ...moreLine(changes, isWhole)];
}

function changeLines({ tool, input, rule, at, count, runs }: CallChange): readonly string[] {
  const place = at === null ? rule : `${rule} (${makeVisibleLine(at)})`;
  return [
    cutToWidth(`  ${String(count).padStart(4)} × ${makeVisibleLine(tool)}: ${callText(input)}`, COLUMNS),
    `         ${paint("dim", `${place}, in ${counted(runs.length, "run")}`)}`,
  ];
}

function shownOf<T>(all: readonly T[], isWhole: boolean): readonly T[] {
  return isWhole ? all : all.slice(0, MAX_SHOWN);
}

function moreLine(all: readonly unknown[], isWhole: boolean): readonly string[] {
  return isWhole || all.length <= MAX_SHOWN ? [] : [`  and ${all.length - MAX_SHOWN} more: --all shows them`];
}
