import type { CompiledRule, CompiledWords } from "../matching/command-rules.ts";
import { type Glob, matchesGlob, parseGlob, prefixGlob } from "../matching/glob.ts";

/**
 * How far a rule was read along the words of a command. It only finds the commands that are then looked at: which rules speak about them, the evaluator's own
 * matching says.
 */
export type RuleReading = {
  /** A rule, or an exception of one. */
  readonly rule: CompiledWords;
  /** Words of the rule that may come next. */
  readonly at: readonly number[];
  /** Whether options may be left out, and their values, as deny and ask rules do before their second word. */
  readonly leading: "program" | "option" | "option-or-value" | "none";
  /** Every command that goes on from here is the rule's. */
  readonly isEnded: boolean;
};

export const ANY_WORD: Glob = parseGlob("*");
export const ANY_OPTION: Glob = prefixGlob("-");

export function beginReading(rule: CompiledRule | CompiledWords): RuleReading {
  // Exceptions and allow rules cover a command as it stands.
  const isExact = !("rule" in rule) || (rule.rule.verdict === "allow" && rule.rule.when === undefined);
  return { rule, at: [0], leading: isExact ? "none" : "program", isEnded: isEndedAt(rule, [0]) };
}

function isEndedAt({ words, isOpen }: CompiledWords, at: readonly number[]): boolean {
  return isOpen && at.includes(words.length);
}

/** Globs that tell apart the words which lead on, each of which some such word matches; without those that may be left out, where they do not matter. */
export function leadsOn({ rule, at, leading, isEnded }: RuleReading, withOptions = true): readonly Glob[] {
  if (isEnded) return [ANY_WORD];
  const wanted = at.flatMap((position) => rule.words.slice(position, position + 1).map(({ glob }) => glob));
  if (!withOptions || leading === "none" || leading === "program" || !at.includes(1)) return wanted;
  return [...wanted, leading === "option-or-value" ? ANY_WORD : ANY_OPTION];
}

/** Null: no command that goes on like this is the rule's. */
export function readWord(reading: RuleReading, word: string): RuleReading | null {
  const { rule, at, leading, isEnded } = reading;
  if (isEnded) return reading;
  const next = new Set<number>();
  let following = leading;
  if (leading === "program") following = rule.words.length > 1 ? "option" : "none";
  else if (leading !== "none") {
    following = word.startsWith("-") ? "option-or-value" : leading === "option-or-value" ? "option" : "none";
    if (following !== "none" && at.includes(1)) next.add(1);
  }
  for (const position of at) {
    const wanted = rule.words[position]?.glob;
    if (wanted !== undefined && (matchesGlob(wanted, word) || (leading === "program" && matchesGlob(wanted, lastName(word))))) next.add(position + 1);
  }
  if (next.size === 0) return null;
  const reached = [...next].toSorted((one, other) => one - other);
  return { rule, at: reached, leading: following, isEnded: isEndedAt(rule, reached) };
}

export function isRead({ rule, at, isEnded }: RuleReading): boolean {
  return isEnded || at.includes(rule.words.length);
}

export function readingKey({ at, leading, isEnded }: RuleReading): string {
  return isEnded ? "*" : `${at.join(",")}${leading === "none" ? "" : leading}`;
}

/** The name that deny and ask rules know a program by. */
export function lastName(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}

/** The name of the program that a rule speaks about; null where a pattern stands for it. */
export function programOf({ words: [first] }: CompiledRule): string | null {
  const text = first?.text ?? null;
  return text === null ? null : lastName(text);
}
