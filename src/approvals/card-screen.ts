import type { ApprovalCard, CardDifference, GrantExamples, GrantPattern } from "./card.ts";
import { foreignCharacters, ownRows, PLAIN, quote, quoteDiff, quoteProse, type Paint } from "./card-rows.ts";
import { askedAgain, isLasting, titleOf, whatHappens } from "./card-text.ts";

export type ScreenSize = { readonly columns: number; readonly rows: number; readonly paint?: Paint };

/** A card on one screen. */
export type CardScreen = {
  readonly rows: readonly string[];
  /** False: of what would happen, or of what is another since the last yes, a part is not on the screen, and no yes counts before all was shown. */
  readonly isWhole: boolean;
};

/** A part of the screen: its own words, and rows that can be folded. `keeps`: so many of them stay as long as there is any room. */
type Part = { readonly label: readonly string[]; readonly rows: readonly string[]; readonly keeps: number; readonly matters: boolean };

/**
 * The card on a screen of this size, with `reserved` rows left for the question below it: whatever stands on the card, the question is not pushed off
 * the screen. What does not fit is folded and counted: first what explains, then the diff, and last what would happen, which no yes passes over.
 */
export function cardScreen(card: ApprovalCard, size: ScreenSize, reserved: number): CardScreen {
  const room = Math.max(1, size.rows - reserved - 1);
  const parts = partsOf(card, size);
  const shownOf = parts.map((part) => part.rows.length);
  const over = (): number => parts.reduce((sum, part, index) => sum + heightOf(part, shownOf[index] ?? 0), -room);
  const last = parts.length - 1;
  // From the last part up: it matters least. First each keeps its beginning; then the last ones go, and of what would happen stays what has room.
  for (let index = last; index >= 0 && over() > 0; index -= 1)
    shownOf[index] = Math.min(shownOf[index] ?? 0, Math.max(parts[index]?.keeps ?? 0, (shownOf[index] ?? 0) - over() - 1));
  for (let index = last; index > 0 && over() > 0; index -= 1) shownOf[index] = 0;
  if (over() > 0) shownOf[0] = Math.max(1, (shownOf[0] ?? 0) - over() - 1);
  const rows: string[] = [];
  let isWhole = true;
  for (const [index, part] of parts.entries()) {
    const shown = shownOf[index] ?? 0;
    if (shown < part.rows.length && part.matters) isWhole = false;
    if (shown > 0) rows.push(...part.label, ...part.rows.slice(0, shown), ...foldedRow(part, shown));
  }
  // A screen too low even for that: the first rows, and never the whole.
  return rows.length <= room ? { rows, isWhole } : { rows: rows.slice(0, room), isWhole: false };
}

function heightOf(part: Part, shown: number): number {
  return shown === 0 ? 0 : part.label.length + shown + foldedRow(part, shown).length;
}

function foldedRow({ rows }: Part, shown: number): readonly string[] {
  const hidden = rows.length - shown;
  return hidden === 0 ? [] : [`... ${hidden} more ${hidden === 1 ? "row" : "rows"}: [v]iew`];
}

/** What matters most first. */
function partsOf(card: ApprovalCard, { columns, paint = PLAIN }: ScreenSize): readonly Part[] {
  const own = (text: string): readonly string[] => ownRows(text, columns);
  const all = (texts: readonly string[]): readonly string[] => texts.flatMap((text) => quote(text, columns));
  const prose = (texts: readonly string[]): readonly string[] => texts.flatMap((text) => quoteProse(text, columns));
  const part = (label: string, rows: readonly string[], keeps: number, matters = false): Part => ({ label: own(label), rows, keeps, matters });
  const words = (text: string, matters = false): Part => ({ label: [], rows: own(text), keeps: Infinity, matters });
  const { differs, change, grant, grantExamples } = card;
  const where = card.commands.length > 0 && card.cwd !== card.workspace ? [`in ${card.cwd}`] : [];
  const variables = Object.entries(card.env).map(([name, value]) => `with ${name}=${value}`);
  const foreign = foreignCharacters(card);
  const againPart = ({ lines, isVoided, ...when }: CardDifference): Part =>
    lines.length === 0 ? words(askedAgain({ lines, isVoided, ...when })) : part(askedAgain({ lines, isVoided, ...when }), all(lines), 2, isVoided);
  return [
    part(titleOf(card), all([...whatHappens(card), ...where, ...variables]), 4, true),
    ...(change === null ? [] : [{ label: [], rows: quoteDiff(change.diff, columns, paint), keeps: 6, matters: false }]),
    ...(card.pointless === null ? [] : [words(`A yes would likely come to nothing: ${card.pointless}`)]),
    ...conditionsOf(card).map((text) => words(text)),
    ...(foreign.length === 0 ? [] : [words(`Not ASCII (look-alikes are possible): ${someOf(foreign, 6)}`, true)]),
    ...(card.asker === undefined ? [] : [part(`Asked by a sub-agent (${card.runId}), whose task is:`, all([card.asker.task]), 1)]),
    ...(card.containment.length === 0 ? [] : [words(`Contained: ${card.containment.join("; ")}.`)]),
    ...(card.seen === undefined ? [] : [part("The model was given before:", all(card.seen), 2)]),
    ...(differs === null ? [] : [againPart(differs)]),
    part("Asked because:", prose([...subjectsOf(card), ...card.asked.map(({ id, reason, at }) => `${id} (${at}): ${reason}`)]), 1),
    ...(grant === null || !isLasting(card) ? [] : [part("[p]attern, with what it covers and what not:", all(examplesOf(grant, grantExamples)), 3)]),
    ...(card.together.length === 0 ? [] : [words(`With ${card.together.length} more of this turn, each asked by itself.`)]),
  ];
}

/** What is asked about, where what happens does not say it by itself. */
function subjectsOf({ effects }: ApprovalCard): readonly string[] {
  return [...new Set(effects.flatMap((effect) => /^ask: (?!writes|deletes|reads)[a-z-]+: (?<subject>[^]*)$/u.exec(effect)?.groups?.["subject"] ?? []))];
}

/** A pattern without an open word says what it covers by itself. */
function examplesOf({ pattern }: GrantPattern, examples: GrantExamples | null): readonly string[] {
  const named = examples?.covers === pattern ? [] : [pattern];
  return examples === null ? named : [...named, `yes: ${examples.covers}`, `no:  ${examples.leaves}`];
}

function conditionsOf({ needed, needsCode }: ApprovalCard): readonly string[] {
  if (needed > 1) return [`Needs the yes of ${needed} different persons, each with a code of their own.`];
  return needsCode ? ["Needs a one-time code."] : [];
}

function someOf(all: readonly string[], most: number): string {
  return all.length <= most ? all.join(" ") : `${all.slice(0, most).join(" ")} and ${all.length - most} more`;
}
