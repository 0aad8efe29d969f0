import { makeVisibleLine } from "../../../base/text.ts";
import type { ExplainedCommand, ExplainedUnit, Explanation } from "./explanation.ts";
import { frameOf } from "./frame.ts";
import { paint, paintVerdict } from "../style.ts";

/** More units than a person reads: the strictest are shown, and how many are not. */
const MAX_UNITS = 60;
const STRICTNESS: Readonly<Record<string, number>> = { allow: 0, ask: 1, deny: 2 };

/** An explanation for a person: each command, each unit with its words underlined, then the verdict. Everything is safe to print. */
export function explanationText(explanation: Explanation): string {
  const shown = chosenUnits(explanation.commands);
  const blocks: string[] = [];
  const { length } = explanation.commands.filter(({ command }) => command !== null);
  for (const [index, command] of explanation.commands.entries()) {
    const units = command.units.filter((unit) => shown.has(unit));
    if (units.length > 0) blocks.push(`${headOf(command, index + 1, length)}\n\n${units.map((unit) => unitText(explanation.text, unit)).join("\n\n")}`);
  }
  const hidden = explanation.commands.reduce((sum, { units }) => sum + units.length, 0) - shown.size;
  if (hidden > 0) blocks.push(paint("dim", `${hidden} further units are decided no more strictly; --json lists them all.`));
  return `${[...blocks, verdictText(explanation)].join("\n\n")}\n`;
}

function chosenUnits(commands: readonly ExplainedCommand[]): ReadonlySet<ExplainedUnit> {
  const units = commands.flatMap((command) => command.units);
  if (units.length <= MAX_UNITS) return new Set(units);
  return new Set(units.toSorted((one, other) => (STRICTNESS[other.verdict] ?? 2) - (STRICTNESS[one.verdict] ?? 2)).slice(0, MAX_UNITS));
}

function headOf({ command }: ExplainedCommand, number: number, count: number): string {
  if (command === null) return paint("bold", "the text as a whole");
  return `${paint("dim", `${number}/${count}`)} ${paint("bold", makeVisibleLine(cut(command)))}`;
}

/** What a simple command says in a headline; the whole of it stands in the frames. */
function cut(command: string): string {
  return command.length <= 160 ? command : `${command.slice(0, 159).toWellFormed()}…`;
}

function unitText(text: string, unit: ExplainedUnit): string {
  const { verdict, risk, effect, subject, cause, word, rule } = unit;
  const isNamed = effect === "command" || effect === "call";
  const lines = [`  ${paintVerdict(verdict)} · ${risk} risk · ${isNamed ? "does nothing to the world by itself" : makeVisibleLine(cut(subject))}`];
  if (word !== null) lines.push(...frameText(text, word, cause === null || cause === subject ? "" : makeVisibleLine(cut(cause))));
  const at = rule.at === undefined ? "" : ` (${makeVisibleLine(rule.at)})`;
  lines.push(`  ${paint("dim", "=")} ${rule.id}${at}: ${makeVisibleLine(rule.reason)}`);
  return lines.join("\n");
}

function frameText(text: string, word: NonNullable<ExplainedUnit["word"]>, cause: string): string[] {
  const { lines, hiddenLines } = frameOf(text, word);
  const gutter = String(lines.at(-1)?.number ?? 1).length;
  const bar = paint("dim", "|");
  const rendered = lines.flatMap(({ number, text: line, marks }, index) => {
    const label = index === lines.length - 1 && hiddenLines === 0 && cause !== "" ? ` ${cause}` : "";
    return [`  ${paint("dim", String(number).padStart(gutter))} ${bar} ${line}`.trimEnd(), `  ${" ".repeat(gutter)} ${bar} ${paint("yellow", marks)}${label}`];
  });
  const where = `  ${" ".repeat(gutter)}${paint("dim", `--> line ${word.line}, column ${word.column}`)}`;
  if (hiddenLines === 0) return [where, ...rendered];
  return [
    where,
    ...rendered,
    `  ${" ".repeat(gutter)} ${bar} … ${hiddenLines} more ${hiddenLines === 1 ? "line" : "lines"}${cause === "" ? "" : `: ${cause}`}`,
  ];
}

function verdictText({ decision, risk, reason, instead, unopposed, otherRules }: Explanation): string {
  const lines = [`${paintVerdict(decision)} · ${risk} risk: ${makeVisibleLine(reason)}`];
  for (const rule of otherRules)
    lines.push(`  also ${rule.verdict}: ${rule.id}${rule.at === undefined ? "" : ` (${makeVisibleLine(rule.at)})`}: ${makeVisibleLine(rule.reason)}`);
  if (instead !== undefined) lines.push(`instead: ${makeVisibleLine(instead)}`);
  if (unopposed.length > 0)
    lines.push(
      `nothing speaks against: ${unopposed
        .slice(0, 10)
        .map((command) => makeVisibleLine(cut(command)))
        .join("; ")}${unopposed.length > 10 ? "; …" : ""}`,
    );
  return lines.join("\n");
}
