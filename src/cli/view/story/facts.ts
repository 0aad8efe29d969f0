import type { CallStory } from "../../../app/run/call-story.ts";
import type { RunStory } from "../../../app/run/story.ts";
import { makeVisibleLine } from "../../../base/text.ts";
import { counted, formatDuration, usdText } from "../style.ts";

/** What a run was, a line each. */
export function headLines({ task, workspace, policy, model, startedAtMs, endedAtMs, parent, children }: RunStory): readonly string[] {
  const took = endedAtMs === null ? "" : `, ${formatDuration(endedAtMs - startedAtMs)}`;
  return [
    `Task: ${makeVisibleLine(task)}`,
    `Started: ${new Date(startedAtMs).toISOString().slice(0, 19)} UTC${took}`,
    `Workspace: ${makeVisibleLine(workspace)}`,
    `Policy: ${makeVisibleLine(policy.name)} (sha256:${policy.digest.slice(0, 12)}…)`,
    `Model: ${makeVisibleLine(model)}`,
    ...(parent === null ? [] : [`Sub-agent of: ${parent}`]),
    ...children.map((child) => `Sub-agent: ${child.run} (${child.ending}): ${makeVisibleLine(child.task)}`),
  ];
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

/** How a call ended, in a word or two; empty: it was not carried out. */
export function outcomeText({ outcome, exitCode }: CallStory): string {
  return outcome === "completed" && exitCode !== null && exitCode !== 0 ? `exit ${String(exitCode)}` : makeVisibleLine(outcome);
}

function moneyText(usd: number | null): string {
  return usd === null ? ", price not known" : `, ${usdText(usd)} US dollars`;
}
