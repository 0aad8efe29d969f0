import type { CallLine, RunSummary } from "../../app/run/summary.ts";
import { makeVisible, makeVisibleLine } from "../../base/text.ts";
import { counted, paint, usdText } from "./style.ts";

const MAX_LINES = 40;
const MAX_CHARACTERS = 160;
const FILE_TOOLS: ReadonlySet<string> = new Set(["write_file", "edit_file"]);

/**
 * The end of a run: what it did, what it was not let, what waits, which rule would have answered, what changed, what it cost, and what to type next.
 * `isWatched`: who reads it saw each call as it ended, so those that went well are counted. `isReviewed`: the changes are shown behind it.
 */
export function summaryText(summary: RunSummary, isWatched = false, isReviewed = false): string {
  const { run, ending, reason, done, failed, refused, parked, asked, cost, models, switches, messages, remembered, children } = summary;
  const sections = [
    isWatched && done.length > 0 ? [`Done: ${counted(done.length, "call")}`] : section(run, "Done", done.map(lineOf)),
    section(run, "Failed", failed.map(failedText)),
    section(
      run,
      "Refused",
      refused.map((call) => `${lineOf(call)}: ${short(call.rule)}`),
    ),
    section(run, "Parked", parked === null ? [] : [`${lineOf(parked)}: ${parked.approval} (${short(parked.rule)})`]),
    section(
      run,
      "Asked",
      asked.map((call) => `${lineOf(call)}: ${call.answer}${call.by === null ? "" : ` by ${makeVisibleLine(call.by)}`}; ${answerOf(call.wouldAnswer)}`),
    ),
    section(run, "Messages", messages.map(messageText)),
    section(
      run,
      "Remembered",
      remembered.map((call) => `${lineOf(call)}: ${call.memory}`),
    ),
    section(
      run,
      "Sub-agents",
      children.map((child) => `${child.run} (${child.ending}): ${short(child.task)}`),
    ),
    isReviewed ? [] : changesOf(summary),
    section(
      run,
      "Models",
      switches.length === 0
        ? []
        : [...models.map(shareText), ...switches.map(({ from, to, reason }) => `${short(to)} in place of ${short(from)}: ${short(reason)}`)],
    ),
  ];
  const lines = [
    `${paint("bold", `Summary of ${run}`)}: ${ending}${reason === "" ? "" : `, ${makeVisibleLine(reason)}`}`,
    ...sections.flat(),
    `Cost: ${counted(cost.turns, "turn")}, ${counted(cost.tokens, "token")}${cost.usd === null ? "" : `, ${usdText(cost.usd)} US dollars`}`,
    ...nextSteps(summary, isReviewed),
  ];
  return `${lines.join("\n")}\n`;
}

/** What a person types to continue a run that stopped. */
export function resumeText(run: string): string {
  return `Continue: warder run --resume ${run}`;
}

/** How a person looks at what a run changed, and what to do about it. `isForBranch`: it goes to a branch of its own, unless they say otherwise. */
export function reviewText(run: string, isForBranch = false): string {
  return `Review: warder changes diff ${run}, then warder changes apply ${run} (${isForBranch ? `makes the branch warder/${run}; or apply --checkout, ` : ""}or discard)`;
}

/** How a person answers what a run waits for. */
export function waitingText(run: string, approval: string): readonly string[] {
  return [
    `${run} waits for a person. Look: warder approvals show ${approval}`,
    `Answer: warder approvals grant ${approval} (or refuse), then: warder run --resume ${run}`,
  ];
}

/** The last line is the one that matters most. */
function nextSteps({ run, ending, parked, refused, changes }: RunSummary, isReviewed: boolean): readonly string[] {
  const review = changes !== null && changes.count > 0 && !isReviewed ? [reviewText(run, changes.isForBranch)] : [];
  if (parked !== null) return [...review, ...waitingText(run, parked.approval)];
  if (ending === "cancelled" || ending === "failed" || ending === "budget") return [...review, resumeText(run)];
  if (ending !== "denied") return review;
  // Where each stands is said above.
  const rules = [...new Set(refused.map(({ rule }) => makeVisibleLine(rule.split(" ", 1)[0] ?? "")))].join(", ");
  return [
    ...review,
    `${paint("red", "Denied")}: it ended without success after ${counted(refused.length, "refusal")} (${rules}). See: warder audit tail --run ${run}`,
  ];
}

function changesOf({ run, done, changes }: RunSummary): readonly string[] {
  if (changes === null) {
    const written = [...new Set(done.filter(({ tool }) => FILE_TOOLS.has(tool)).map(({ what }) => short(what)))];
    return written.length === 0 ? ["Changes: made in the workspace itself"] : section(run, "Changed in the workspace itself", written);
  }
  if (changes.count === 0) return ["Changes: none"];
  const more = changes.count - changes.paths.length;
  return section(run, "Changed", [...changes.paths.map(short), ...(more > 0 ? [`and ${counted(more, "path")} more`] : [])]);
}

function section(run: string, title: string, entries: readonly string[]): readonly string[] {
  if (entries.length === 0) return [];
  const shown = entries.slice(0, MAX_LINES).map((entry) => `  ${entry}`);
  const more = entries.length > MAX_LINES ? [`  and ${entries.length - MAX_LINES} more: warder audit tail --run ${run}`] : [];
  return [`${title} (${entries.length}):`, ...shown, ...more];
}

function shareText({ model, turns, tokens, usd }: RunSummary["models"][number]): string {
  return `${short(model)}: ${counted(turns, "turn")}, ${counted(tokens, "token")}${usd === null ? "" : `, ${usdText(usd)} US dollars`}`;
}

function failedText(call: RunSummary["failed"][number]): string {
  const outcome = call.outcome === "completed" ? `exit ${call.exitCode}` : call.outcome;
  return `${lineOf(call)}: ${outcome}${call.reason === "" ? "" : `: ${short(call.reason)}`}`;
}

/** Whole: it was written to be read. Each line is marked, so that none of it passes for Warder's own. */
function messageText({ text, child }: RunSummary["messages"][number]): string {
  return `${child === undefined ? "" : `[${child}] `}» ${makeVisible(text).trimEnd().replaceAll("\n", "\n  » ")}`;
}

function answerOf(wouldAnswer: string | null): string {
  return wouldAnswer === null ? "no line of the policy would have answered it" : `the policy would have answered it with: ${short(wouldAnswer)}`;
}

function lineOf({ tool, what, child }: CallLine): string {
  return `${child === undefined ? "" : `[${child}] `}${makeVisibleLine(tool)} ${short(what)}`;
}

function short(text: string): string {
  const line = makeVisibleLine(text);
  return line.length <= MAX_CHARACTERS ? line : `${line.slice(0, MAX_CHARACTERS).toWellFormed()}…`;
}
