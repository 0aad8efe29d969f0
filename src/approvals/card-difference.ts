import type { ApprovalCard } from "./card.ts";

/** What two questions are compared by: a label, and its values. What is longer than a line is only said to differ. */
function partsOf(card: ApprovalCard): readonly (readonly [string, readonly string[]])[] {
  return [
    ["tool", [card.tool]],
    ["command", card.commands],
    ["in directory", [card.cwd]],
    ["variable", Object.entries(card.env).map(([name, value]) => `${name}=${value}`)],
    ["reads", card.reads],
    ["writes", card.writes],
    ["connects to", card.hosts],
    ["file that it runs or is configured by", card.inputs],
    ["effect", card.effects],
    ["risk", [card.risk]],
    ["image", [card.imageDigest]],
    ["policy", [card.policyDigest]],
  ];
}

/**
 * What is different between an earlier question and one now, as lines: `- label: was`, `+ label: is`. `changed` are paths of the workspace
 * that were changed since. Empty only when everything that a card shows is the same.
 */
export function cardDifference(before: ApprovalCard, now: ApprovalCard, changed: readonly string[] = []): readonly string[] {
  const earlier = new Map(partsOf(before));
  const lines = partsOf(now).flatMap(([label, values]) => listDifference(label, earlier.get(label) ?? [], values));
  if (before.input !== now.input && before.commands.join("\n") === now.commands.join("\n"))
    lines.push("~ arguments: others than then; the present ones stand below");
  for (const path of changed) lines.push(`~ changed since: ${path}`);
  return lines;
}

/** `- label: entry` for what is gone, `+ label: entry` for what came. */
export function listDifference(label: string, before: readonly string[], now: readonly string[]): string[] {
  return [
    ...before.filter((entry) => !now.includes(entry)).map((entry) => `- ${label}: ${entry}`),
    ...now.filter((entry) => !before.includes(entry)).map((entry) => `+ ${label}: ${entry}`),
  ];
}
