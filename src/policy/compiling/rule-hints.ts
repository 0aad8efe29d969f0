import { compileRule, touchesRule } from "../matching/command-rules.ts";
import { matchesGlob, parseGlob } from "../matching/glob.ts";
import { oncePerGroup, wordsText } from "../matching/rule-words.ts";
import type { CommandRule, PatternWord, Policy } from "../policy.ts";
import { type PolicyDiagnostic, warningAt } from "../text/diagnostic.ts";

/**
 * Command rules that change nothing: those that say what another one says already, and those that can never decide because a stricter one speaks about
 * everything that they speak about. Told is only what is so for every command; that there is no warning proves nothing.
 */
export function ruleHints({ commands: { rules, only, onlyAt, blockHighRisk } }: Policy): readonly PolicyDiagnostic[] {
  const byStart = Map.groupBy(rules, (rule) => startOf(programOf(rule), secondOf(rule)));
  const place = new Map(rules.map((rule, index) => [rule, index]));
  const idleRule = (rule: CommandRule): readonly PolicyDiagnostic[] => {
    const program = programOf(rule);
    const second = secondOf(rule);
    // A word that is none of a pattern is covered by itself or by a pattern, so thousands of rules are not compared with each other.
    const starts = new Set([startOf(program, second), startOf(program, null), startOf(null, second), startOf(null, null)]);
    const coverers = [...starts].flatMap((start) => byStart.get(start) ?? []).filter((other) => other.id !== rule.id && coversWords(other.words, rule.words));
    const stricter = coverers.find((other) => other.when === undefined && saysAll(other, rule) && STRICTNESS[other.verdict] > STRICTNESS[rule.verdict]);
    if (stricter !== undefined) return [neverDecides(rule, `\`${stricter.id}\` (${placeOf(stricter)}) says ${stricter.verdict} for every command of it`)];
    if (rule.verdict === "allow" && only !== null && program !== null && !program.includes("/") && !only.includes(program))
      return [neverDecides(rule, `\`only\`${onlyAt === null ? "" : ` (${onlyAt.file}:${onlyAt.line})`} does not list \`${program}\``)];
    const same = coverers.find((other) => {
      const isEarlier = (place.get(other) ?? 0) < (place.get(rule) ?? 0);
      // What a parent states narrowly, for all of its children, is not idle because of one of them.
      return saysAsMuch(other, rule, blockHighRisk) && (isEarlier || (other.at.file === rule.at.file && !coversWords(rule.words, other.words)));
    });
    if (same === undefined) return [];
    return [
      warningAt(
        rule.at,
        "redundant",
        `The rule \`${rule.id}\` says nothing more: \`${same.id}\` (${placeOf(same)}) says ${rule.verdict} for every command of it already.`,
        {
          why: "Whoever takes out one of them believes that the other one was not there.",
          remedy: "Take it out, or make the other one narrower.",
          fix: "remove-item",
        },
      ),
    ];
  };
  return oncePerGroup(rules).flatMap((rule) => {
    if (rule.group === undefined) return [...idleExceptions(rule), ...idleRule(rule)];
    // A list is idle where each of its commands is.
    const each = rules.filter(({ id }) => id === rule.id).map(idleRule);
    return each.every(({ length }) => length > 0) ? (each[0] ?? []) : [];
  });
}

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const;

function neverDecides(rule: CommandRule, because: string): PolicyDiagnostic {
  return warningAt(rule.at, "never-decides", `The rule \`${rule.id}\` never decides: ${because}.`, {
    why: "A reviewer would believe that it does.",
    remedy: "Take it out, or make the stricter one narrower.",
    fix: "remove-item",
  });
}

/** Whether a rule holds wherever the other one does, given that it speaks about every command of it: until when, on what condition, and in which file. */
function saysAsMuch(one: CommandRule, other: CommandRule, blockHighRisk: boolean): boolean {
  if (one.verdict !== other.verdict || !saysAll(one, other) || JSON.stringify(one.when) !== JSON.stringify(other.when)) return false;
  // Beyond its limit an ask denies, and only its own limit says when.
  if (other.max !== undefined && other.verdict === "ask") return false;
  if (one.verdict !== "allow") return true;
  // What is high risk an allow rule settles only in the file that blocks it.
  if (blockHighRisk && one.at.file !== other.at.file) return false;
  return one.expires === undefined || (other.expires !== undefined && other.expires <= one.expires);
}

/** Whether a rule has neither exceptions nor hours that the other one lacks, and where it allows no limit. */
function saysAll({ verdict, except, between, max }: CommandRule, other: CommandRule): boolean {
  const isSame = (one: unknown, two: unknown): boolean => one === undefined || JSON.stringify(one) === JSON.stringify(two);
  return isSame(except, other.except) && isSame(between, other.between) && (verdict !== "allow" || max === undefined);
}

/** An exception of which no command is the rule's. */
function idleExceptions(rule: CommandRule): readonly PolicyDiagnostic[] {
  if (rule.except === undefined) return [];
  const compiled = compileRule(rule);
  return rule.except.flatMap((words, index) => {
    const exception = compiled.exceptions[index];
    if (exception === undefined || touchesRule(exception, compiled)) return [];
    return [
      warningAt(
        rule.at,
        "idle-exception",
        `The exception \`${wordsText(words)}\` of the rule \`${rule.id}\` says nothing: the rule is about no such command.`,
        {
          remedy: "Take it out, or write what the rule is about.",
        },
      ),
    ];
  });
}

/** The name of the program that a rule speaks about; null where a pattern stands for it. */
function programOf({ words: [first] }: CommandRule): string | null {
  return first?.kind === "word" && !/[*?[]/u.test(first.glob) ? first.glob : null;
}

function secondOf({ words: [, second] }: CommandRule): string | null {
  return second?.kind === "word" && !/[*?[]/u.test(second.glob) ? second.glob : null;
}

function startOf(program: string | null, second: string | null): string {
  return JSON.stringify([program, second]);
}

/**
 * Whether every command of the second pattern is one of the first. Word by word a pattern covers its equal, `*` covers any word, and a pattern covers a word
 * that it matches. Both skip options before the second word alike, or the first takes all words behind its program anyway.
 */
function coversWords(wide: readonly PatternWord[], narrow: readonly PatternWord[]): boolean {
  const isOpen = wide.at(-1)?.kind === "rest";
  const fixed = isOpen ? wide.slice(0, -1) : wide;
  if (isOpen ? narrow.filter(({ kind }) => kind === "word").length < fixed.length : narrow.length !== fixed.length) return false;
  return fixed.every((word, index) => coversWord(word, narrow[index]));
}

function coversWord(wide: PatternWord, narrow: PatternWord | undefined): boolean {
  if (wide.kind !== "word" || narrow?.kind !== "word") return false;
  return wide.glob === narrow.glob || wide.glob === "*" || (!/[*?[]/u.test(narrow.glob) && matchesGlob(parseGlob(wide.glob), narrow.glob));
}

function placeOf({ at }: CommandRule): string {
  return `${at.file}:${at.line}`;
}
