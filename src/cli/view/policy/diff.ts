import type { Comparison } from "../../../app/policy/comparison.ts";
import { makeVisibleLine } from "../../../base/text.ts";
import type { ChangedPart, Decided, Difference, Group, Outcome, Witness } from "../../../policy/comparing/difference.ts";
import type { Wanted } from "../../../policy/comparing/wanted.ts";
import { counted, cutToWidth, paint, paintVerdict } from "../style.ts";
import { unconfirmedLines } from "./unconfirmed.ts";

const COLUMNS = 80;

/** What each group is called. */
export const GROUP_TITLES: Readonly<Record<Group, string>> = {
  allowed: "More is allowed",
  unasked: "No longer asked",
  "may-widen": "May widen",
  limits: "Limits",
  sandbox: "Sandbox",
  people: "People and hooks",
  asked: "More is asked",
  refused: "More is refused",
};

export const OUTCOME_TEXTS: Readonly<Record<Outcome, string>> = {
  same: "decides the same",
  "only-tightens": "only tightens",
  widens: "widens",
  "may-widen": "may widen",
};

const OUTCOME_STYLES = { same: "green", "only-tightens": "green", widens: "red", "may-widen": "yellow" } as const;

/** For a tired reader: the answer first, then each group, what is looser before what is stricter. */
export function policyDiffText({ before, after, outcome, differences, unconfirmed }: Comparison, names: readonly [string, string]): string {
  const lines = [`${paint(OUTCOME_STYLES[outcome], OUTCOME_TEXTS[outcome])}: ${makeVisibleLine(names[0])} → ${makeVisibleLine(names[1])}`];
  if (outcome === "same" && before.digest !== after.digest) lines.push("The texts differ, and no decision, limit or setting does.");
  for (const [group, found] of Map.groupBy(differences, (difference) => difference.group)) {
    lines.push("", `${paint("bold", GROUP_TITLES[group])} (${String(found.length)})`);
    for (const [, same] of Map.groupBy(found, ({ part }) => JSON.stringify(part))) lines.push(...partLines(same));
  }
  if (differences.length > 0) lines.push("", summary(differences));
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
  return [...head, ...differences.flatMap((difference) => (difference.witness === undefined ? whyLines(difference) : witnessLines(difference.witness)))];
}

const MARKS = { widens: "!", "may-widen": "?", tightens: "-" } as const;

function whyLines({ why }: Difference): readonly string[] {
  return why === undefined ? [] : [`      ${paint("dim", why)}`];
}

function witnessLines({ wanted, circumstances, before, after }: Witness): readonly string[] {
  const when = circumstanceText(circumstances);
  return [
    `      ${paint("cyan", makeVisibleLine(wantedText(wanted)))}${when === "" ? "" : paint("dim", `  (${when})`)}`,
    `        ${paintVerdict(before.verdict)} ${decidedText(before)} → ${paintVerdict(after.verdict)} ${decidedText(after)}`,
  ];
}

function decidedText({ rule }: Decided): string {
  return paint("dim", makeVisibleLine(rule));
}

/** `allow "a" → allow "a **"`, `added: …`, `removed: …`. */
export function partText({ what, was, is }: ChangedPart): string {
  if (was === null && is === null) return what;
  if (was === null) return `${what}: added, ${is ?? ""}`;
  return is === null ? `${what}: removed, was ${was}` : `${what}: ${was} → ${is}`;
}

export function wantedText(wanted: Wanted): string {
  switch (wanted.kind) {
    case "command":
      return wanted.text;
    case "read":
    case "write":
      return `${wanted.kind}s ${wanted.path}`;
    case "connect":
      return `connects to ${wanted.host}:${String(wanted.port)}`;
    case "invoke":
    case "tool":
      return `calls the tool ${wanted.tool}`;
    case "remember":
      return "keeps something in memory";
    case "message":
      return "sends a message to the person";
    case "schedule":
      return "schedules a job";
  }
}

/** Empty: in a run, before the model was given anything. */
export function circumstanceText({ containment, seen, nowMs, isPublic, isUnmeasured }: Witness["circumstances"], now = Date.now()): string {
  return [
    ...(containment === "none" ? ["outside the sandbox, as `warder hook` decides"] : []),
    ...(seen.length === 0 ? [] : [`once the model was given what is ${seen.join(" and ")}`]),
    ...(isPublic === true ? ["where the file holds nothing but public parts"] : []),
    ...(isUnmeasured === true ? ["where the path cannot be measured"] : []),
    ...(nowMs > now ? [`from ${new Date(nowMs).toISOString().slice(0, 10)} on`] : []),
  ].join(", ");
}
