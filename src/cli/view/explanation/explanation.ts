import type { Risk, RuleVoice, UnitDecision, UnitKind, Verdict } from "../../../policy/decision.ts";
import type { Request } from "../../../policy/request.ts";
import { shownCommand } from "../../../gate/ruling/describe-call.ts";
import type { Judgement } from "../../../gate/ruling/judge.ts";
import type { CommandAnalysis, Span } from "../../../shell/model/model.ts";

/** Where words stand in the command: UTF-16 offsets, and line and column (counted in characters) from 1. */
export type ExplainedWord = { readonly text: string; readonly start: number; readonly end: number; readonly line: number; readonly column: number };

/** `at`: `file:line` of a policy file; absent for what is built in. */
export type ExplainedRule = { readonly id: string; readonly step: RuleVoice["step"]; readonly reason: string; readonly at?: string };

/** One unit: what is done, which word causes it, and the rule that decided. */
export type ExplainedUnit = {
  readonly verdict: Verdict;
  readonly risk: Risk;
  readonly effect: UnitKind;
  readonly subject: string;
  /** How the word causes it; null where the unit is no effect of a word. */
  readonly cause: string | null;
  readonly word: ExplainedWord | null;
  readonly rule: ExplainedRule;
};

/** A simple command, its words quoted, and the units that it is decided by. Command null: what belongs to the text as a whole. */
export type ExplainedCommand = { readonly command: string | null; readonly units: readonly ExplainedUnit[] };

/** Why a command text is decided as it is: plain data, one object of `--json`. */
export type Explanation = {
  readonly text: string;
  readonly decision: Verdict;
  readonly risk: Risk;
  readonly reason: string;
  readonly instead?: string;
  readonly commands: readonly ExplainedCommand[];
  /** Simple commands against which nothing speaks, when something speaks against others. */
  readonly unopposed: readonly string[];
  /** Rules that spoke beside those that decided a unit. */
  readonly otherRules: readonly (ExplainedRule & { readonly verdict: Verdict })[];
};

/** Explains a judged call of one command text. Pure. */
export function explain(text: string, { call, decision }: Pick<Judgement, "call" | "decision">): Explanation {
  const analysis = call.requests.find((request): request is Extract<Request, { kind: "command" }> => request.kind === "command")?.analysis ?? null;
  const commands = analysis === null ? [] : explainCommands(analysis, decision.units);
  const deciding = new Set(decision.units.map(({ rule }) => keyOf(rule)));
  return {
    text,
    decision: decision.verdict,
    risk: decision.risk,
    reason: decision.reason,
    ...(decision.instead === undefined ? {} : { instead: decision.instead }),
    commands,
    unopposed: analysis === null || decision.verdict === "allow" ? [] : unopposedOf(analysis, decision.units),
    otherRules: decision.rules.filter((rule) => !deciding.has(keyOf(rule))).map((rule) => ({ ...explainRule(rule), verdict: rule.verdict })),
  };
}

function explainCommands(analysis: CommandAnalysis, units: readonly UnitDecision[]): readonly ExplainedCommand[] {
  const lines = linesOf(analysis.text);
  const groups = new Map<number, ExplainedUnit[]>(analysis.simples.map((_simple, index) => [index, []]));
  for (const [index, decided] of units.entries()) {
    const simple = decided.unit.simple ?? WHOLE;
    const group = groups.get(simple) ?? [];
    group.push(explainUnit(analysis, decided, { index, lines }));
    groups.set(simple, group);
  }
  return [...groups].map(([simple, explained]) => {
    const command = analysis.simples[simple];
    return { command: command === undefined ? null : shownCommand(command), units: explained.toSorted(byPlace) };
  });
}

const WHOLE = -1;

function byPlace(one: ExplainedUnit, other: ExplainedUnit): number {
  return (one.word?.start ?? 0) - (other.word?.start ?? 0);
}

/** Commands that are allowed with everything inside them; none when something speaks against the text as a whole. */
function unopposedOf({ simples }: CommandAnalysis, units: readonly UnitDecision[]): readonly string[] {
  const opposed = units.filter(({ verdict }) => verdict !== "allow").map(({ unit }) => (unit.simple === null ? null : simples[unit.simple]?.span));
  if (opposed.includes(null)) return [];
  const isFree = ({ span }: { readonly span: Span }): boolean =>
    !opposed.some((other) => other !== null && other !== undefined && span.start <= other.start && other.end <= span.end);
  return simples.filter(isFree).map(shownCommand);
}

function explainUnit(analysis: CommandAnalysis, decided: UnitDecision, at: { readonly index: number; readonly lines: Lines }): ExplainedUnit {
  const { unit, risk, verdict, rule } = decided;
  // The units of a command are its effects, in their order, and behind them the simple commands without one.
  const effect = analysis.effects[at.index];
  const isOf = effect !== undefined && effect.kind === unit.kind && effect.span === unit.span;
  return {
    verdict,
    risk,
    effect: unit.kind,
    subject: unit.subject,
    cause: isOf ? effect.cause : null,
    word: unit.span === undefined ? null : explainWord(analysis.text, unit.span, at.lines),
    rule: explainRule(rule),
  };
}

function explainRule({ id, step, reason, at }: RuleVoice): ExplainedRule {
  return { id, step, reason, ...(at === undefined ? {} : { at: `${at.file}:${at.line}` }) };
}

/** Where each line begins; `hasPairs`: some character is two UTF-16 units. */
type Lines = { readonly starts: readonly number[]; readonly hasPairs: boolean };

function explainWord(text: string, { start, end }: Span, { starts, hasPairs }: Lines): ExplainedWord {
  let line = 0;
  for (let step = 2 ** Math.floor(Math.log2(starts.length)); step >= 1; step /= 2) if ((starts[line + step] ?? Infinity) <= start) line += step;
  const from = starts[line] ?? 0;
  return { text: text.slice(start, end), start, end, line: line + 1, column: (hasPairs ? Array.from(text.slice(from, start)).length : start - from) + 1 };
}

function linesOf(text: string): Lines {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return { starts, hasPairs: /[\ud800-\udfff]/.test(text) };
}

function keyOf({ id, at }: RuleVoice): string {
  return `${id} ${at?.file ?? ""}:${at?.line ?? 0}`;
}
