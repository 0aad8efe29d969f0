import type { Comparison } from "../../../app/policy/comparison.ts";
import { makeVisibleLine } from "../../../base/text.ts";
import type { Decided, Difference, Witness } from "../../../policy/comparing/difference.ts";
import { circumstanceText, GROUP_TITLES, OUTCOME_TEXTS, partText, wantedText } from "../../../policy/printing/difference-words.ts";
import { counted, cutToWidth, paint, paintVerdict } from "../style.ts";
import { unconfirmedLines } from "./unconfirmed.ts";

const COLUMNS = 80;

const OUTCOME_STYLES = { same: "green", "only-tightens": "green", widens: "red", "may-widen": "yellow" } as const;

/** For a tired reader: the answer first, then each group, what is looser before what is stricter. */
export function policyDiffText({ before, after, outcome, differences, unconfirmed, counted: log }: Comparison, names: readonly [string, string]): string {
  const lines = [`${paint(OUTCOME_STYLES[outcome], OUTCOME_TEXTS[outcome])}: ${makeVisibleLine(names[0])} → ${makeVisibleLine(names[1])}`];
  if (outcome === "same" && before.digest !== after.digest) lines.push("The texts differ, and no decision, limit or setting does.");
  for (const [group, found] of Map.groupBy(differences, (difference) => difference.group)) {
    lines.push("", `${paint("bold", GROUP_TITLES[group])} (${String(found.length)})`);
    for (const [, same] of Map.groupBy(found, ({ part }) => JSON.stringify(part))) lines.push(...partLines(same));
  }
  if (differences.length > 0) lines.push("", summary(differences));
  if (log !== undefined)
    lines.push(`${counted(log.calls, "call")} of the audit log compared${log.lost === 0 ? "" : `; of ${String(log.lost)} more it has too little`}`);
  return `${[...lines, ...unconfirmedLines(unconfirmed)].join("\n")}\n`;
}

function summary(differences: readonly Difference[]): string {
  const count = (direction: Difference["direction"]): number => differences.filter((one) => one.direction === direction).length;
  return `${counted(count("widens"), "widening")}, ${String(count("may-widen"))} that may widen, ${counted(count("tightens"), "tightening")}`;
}

function partLines(differences: readonly Difference[]): readonly string[] {
  const [first] = differences;
  if (first === undefined) return [];
  const { part } = first;
  const place = part.at === undefined ? "" : `${part.at.file}:${String(part.at.line)}`;
  const text = `  ${MARKS[first.direction]} ${makeVisibleLine(partText(part))}`;
  const isShort = text.length + place.length + 2 <= COLUMNS;
  const head =
    place === ""
      ? [cutToWidth(text, COLUMNS)]
      : isShort
        ? [`${text.padEnd(COLUMNS - place.length)}${paint("dim", place)}`]
        : [text, `      ${paint("dim", place)}`];
  // What several regions say alike is said once.
  const told = new Set(
    differences.map(({ witness, why, logged }) => [...(witness === undefined ? whyLines(why) : witnessLines(witness)), ...logLines(logged)].join("\n")),
  );
  return [...head, ...[...told].filter((lines) => lines !== "")];
}

const MARKS = { widens: "!", "may-widen": "?", tightens: "-" } as const;

function whyLines(why: string | undefined): readonly string[] {
  return why === undefined ? [] : [`      ${paint("dim", why)}`];
}

function logLines(logged: number | undefined): readonly string[] {
  return logged === undefined ? [] : [`        ${paint("dim", `in the log: ${counted(logged, "call")}`)}`];
}

function witnessLines({ wanted, circumstances, before, after }: Witness): readonly string[] {
  const when = circumstanceText(circumstances, Date.now());
  return [
    `      ${paint("cyan", makeVisibleLine(wantedText(wanted)))}${when === "" ? "" : paint("dim", `  (${when})`)}`,
    `        ${paintVerdict(before.verdict)} ${decidedText(before)} → ${paintVerdict(after.verdict)} ${decidedText(after)}`,
  ];
}

function decidedText({ rule }: Decided): string {
  return paint("dim", makeVisibleLine(rule));
}
