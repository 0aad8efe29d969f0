import type { CallLine, RunSummary } from "../../app/run/summary.ts";
import { makeVisibleLine } from "../../base/text.ts";
import { counted, paint, usdText } from "./style.ts";

const MAX_LINES = 40;
const MAX_CHARACTERS = 160;

/** The summary of a run for who was not there: what it did, what it was not let, what waits, and which rule would have answered. */
export function summaryText(summary: RunSummary): string {
  const { run, ending, reason, done, refused, parked, asked, changes, cost } = summary;
  const lines = [`${paint("bold", `Summary of ${run}`)}: ${ending}${reason === "" ? "" : `, ${makeVisibleLine(reason)}`}`];
  const section = (title: string, entries: readonly string[]): void => {
    if (entries.length === 0) return;
    lines.push(`${title} (${entries.length}):`, ...entries.slice(0, MAX_LINES).map((entry) => `  ${entry}`));
    if (entries.length > MAX_LINES) lines.push(`  and ${entries.length - MAX_LINES} more: warder audit tail --run ${run}`);
  };
  section(
    "Done",
    done.map(
      (call) =>
        `${lineOf(call)}${call.outcome === "completed" && (call.exitCode ?? 0) === 0 ? "" : `: ${call.outcome}${call.exitCode === null ? "" : `, exit ${call.exitCode}`}`}`,
    ),
  );
  section(
    "Refused",
    refused.map((call) => `${lineOf(call)}: ${short(call.rule)}`),
  );
  section("Parked", parked === null ? [] : [`${lineOf(parked)}: ${parked.approval} (${short(parked.rule)})`]);
  section(
    "Asked",
    asked.map((call) => `${lineOf(call)}: ${call.answer}${call.by === null ? "" : ` by ${makeVisibleLine(call.by)}`}; ${answerOf(call.wouldAnswer)}`),
  );
  lines.push(
    changes === null
      ? "Changes: made in the workspace itself"
      : changes.count === 0
        ? "Changes: none"
        : `Changes: ${counted(changes.count, "path")} to review: warder changes diff ${run}, then apply or discard`,
  );
  lines.push(`Cost: ${counted(cost.turns, "turn")}, ${counted(cost.tokens, "token")}${cost.usd === null ? "" : `, ${usdText(cost.usd)} US dollars`}`);
  return `${lines.join("\n")}\n`;
}

function answerOf(wouldAnswer: string | null): string {
  return wouldAnswer === null ? "no line of the policy would have answered it" : `the policy would have answered it with: ${short(wouldAnswer)}`;
}

function lineOf({ tool, what }: CallLine): string {
  return `${makeVisibleLine(tool)} ${short(what)}`;
}

function short(text: string): string {
  const line = makeVisibleLine(text);
  return line.length <= MAX_CHARACTERS ? line : `${line.slice(0, MAX_CHARACTERS).toWellFormed()}…`;
}
