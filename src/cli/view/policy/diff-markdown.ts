import type { Comparison } from "../../../app/policy/comparison.ts";
import type { Decided, Difference, Witness } from "../../../policy/comparing/difference.ts";
import { circumstanceText, GROUP_TITLES, OUTCOME_TEXTS, partText, wantedText } from "../../../policy/printing/difference-words.ts";
import { code } from "../story/markdown.ts";

/** A comment longer than this is refused by GitHub (65,536) and GitLab. */
const MAX_CHARACTERS = 60_000;

/** For a pull request. Whatever a policy says stands in code alone: there it is no link, no mention and no image. */
export function policyDiffMarkdown({ outcome, differences }: Comparison, [before, after]: readonly [string, string]): string {
  const lines = [`### Policy ${OUTCOME_TEXTS[outcome]}`, "", `${code(before)} → ${code(after)}`];
  for (const [group, found] of Map.groupBy(differences, (difference) => difference.group)) {
    const parts = [...Map.groupBy(found, ({ part }) => JSON.stringify(part)).values()];
    lines.push("", `**${GROUP_TITLES[group]}**`, "", ...parts.flatMap(partLines));
  }
  const text = `${lines.join("\n")}\n`;
  if (text.length <= MAX_CHARACTERS) return text;
  return `${text.slice(0, text.lastIndexOf("\n- ", MAX_CHARACTERS))}\n\nMore differs than a comment holds: run \`warder policy diff\` for all of it.\n`;
}

const MARKS: Readonly<Record<Difference["direction"], string>> = { widens: "❗", "may-widen": "❓", tightens: "🔒" };

function partLines(differences: readonly Difference[]): readonly string[] {
  const [first] = differences;
  if (first === undefined) return [];
  const { part, direction, why } = first;
  const place = part.at === undefined ? "" : ` (${code(`${part.at.file}:${String(part.at.line)}`)})`;
  return [
    `- ${MARKS[direction]} ${code(partText(part))}${place}`,
    ...(why === undefined ? [] : [`  - ${why}`]),
    ...differences.flatMap(({ witness, logged }) =>
      witness === undefined ? [] : [`  - ${witnessText(witness)}${logged === undefined ? "" : `, ${String(logged)} × in the log`}`],
    ),
  ];
}

function witnessText({ wanted, circumstances, before, after }: Witness): string {
  const when = circumstanceText(circumstances, Date.now());
  const decided = ({ verdict, rule }: Decided): string => `${verdict} (${code(rule)})`;
  return `${code(wantedText(wanted))}${when === "" ? "" : `, ${when}`}: ${decided(before)} → ${decided(after)}`;
}
