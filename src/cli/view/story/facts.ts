import type { CallStory } from "../../../app/story/call-story.ts";
import type { RunStory, TurnStory } from "../../../app/story/story.ts";
import { makeVisibleLine } from "../../../base/text.ts";
import { counted, formatDuration, usdText } from "../style.ts";

/** What a run was, a line each. */
export function headLines({ task, workspace, policy, model, startedAtMs, endedAtMs, forkedFrom, parent, children, messages }: RunStory): readonly string[] {
  const took = endedAtMs === null ? "" : `, ${formatDuration(endedAtMs - startedAtMs)}`;
  return [
    `Task: ${makeVisibleLine(task)}`,
    `Started: ${new Date(startedAtMs).toISOString().slice(0, 19)} UTC${took}`,
    `Workspace: ${makeVisibleLine(workspace)}`,
    `Policy: ${makeVisibleLine(policy.name)} (sha256:${policy.digest.slice(0, 12)}…)`,
    `Model: ${makeVisibleLine(model)}`,
    ...(forkedFrom === null ? [] : [`Forked from: ${makeVisibleLine(forkedFrom)}`]),
    ...(parent === null ? [] : [`Sub-agent of: ${parent}`]),
    ...children.map((child) => `Sub-agent: ${child.run} (${child.ending}): ${makeVisibleLine(child.task)}`),
    ...messages.map((text) => `Message: ${makeVisibleLine(text)}`),
  ];
}

/** What stands over a turn: its number, or why it has none. */
export function turnTitle({ turn, standing }: TurnStory): string {
  if (standing === "taken-back") return "Taken back";
  return turn === null ? "Calls (the conversation is no longer kept)" : `Turn ${String(turn)}`;
}

/** Which turns the run can go back to, and why not to others; a line for each reason. */
export function returnLines({ run, points }: RunStory): readonly string[] {
  const open = points.filter(({ obstacle }) => obstacle === null).map(({ turn }) => turn);
  const reasons = Map.groupBy(
    points.filter(({ obstacle }) => obstacle !== null),
    ({ obstacle }) => obstacle ?? "",
  );
  return [
    ...(open.length === 0 ? [] : [`Can go back to turn ${ranges(open)}: warder runs rewind ${run} --to TURN`]),
    ...[...reasons].map(([reason, closed]) => `Not to turn ${ranges(closed.map(({ turn }) => turn))}: ${makeVisibleLine(reason)}`),
  ];
}

/** `0-3, 5` */
function ranges(turns: readonly number[]): string {
  const texts: string[] = [];
  for (let at = 0; at < turns.length;) {
    let end = at;
    while (turns[end + 1] === (turns[end] ?? 0) + 1) end += 1;
    texts.push(at === end ? String(turns[at]) : `${String(turns[at])}-${String(turns[end])}`);
    at = end + 1;
  }
  return texts.join(", ");
}

/** What it cost, by model where there were several. */
export function costLines({ models, switches, usd }: RunStory): readonly string[] {
  const tokens = models.reduce((sum, share) => sum + share.tokens, 0);
  const turns = models.reduce((sum, share) => sum + share.turns, 0);
  return [
    models.length === 0 ? "Cost: no longer kept" : `Cost: ${counted(turns, "turn")}, ${counted(tokens, "token")}${moneyText(usd)}`,
    ...(models.length < 2
      ? []
      : models.map((share) => `  ${makeVisibleLine(share.model)}: ${counted(share.turns, "turn")}, ${counted(share.tokens, "token")}${moneyText(share.usd)}`)),
    ...switches.map(({ from, to, reason }) => `  ${makeVisibleLine(to)} in place of ${makeVisibleLine(from)}: ${makeVisibleLine(reason)}`),
  ];
}

/** Which tool was called, and by whom. */
export function toolText({ tool, isInScript }: CallStory): string {
  return isInScript ? `in the script: ${tool}` : tool;
}

/** How a call ended, in a word or two; empty: it was not carried out. */
export function outcomeText({ outcome, exitCode }: CallStory): string {
  return outcome === "completed" && exitCode !== null && exitCode !== 0 ? `exit ${String(exitCode)}` : makeVisibleLine(outcome);
}

function moneyText(usd: number | null): string {
  return usd === null ? ", price not known" : `, ${usdText(usd)} US dollars`;
}
