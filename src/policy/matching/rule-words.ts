import { COMMAND_GROUPS } from "../../programs/command-groups.ts";
import type { CommandRule, PatternWord, RuleGroup } from "../policy.ts";

/** The words of a rule, or why the text is none. */
export type RuleWords = { readonly words: readonly PatternWord[] } | { readonly fault: string; readonly remedy: string };

/**
 * Reads the words of a rule: separated by blanks, `*` one word, `**` (alone and last) any number of further words, `*`, `?` and
 * `[…]` within a word. What the shell would read as more than words is refused: a rule is about one simple command.
 */
export function readRuleWords(text: string, verdict: "allow" | "ask" | "deny"): RuleWords {
  const parts = text.trim().split(/\s+/u);
  const special = /["'`\\$;|&<>(){}\n]/u.exec(text)?.[0];
  if (special !== undefined) {
    return {
      fault: `the words hold ${JSON.stringify(special)}`,
      remedy: "Write the words of one simple command as the program receives them; `?` stands for a character that cannot be written, such as a space.",
    };
  }
  if (/\[\[?:/u.test(text)) return { fault: "named character classes depend on the machine's language", remedy: "List the characters: `[a-z]`." };
  const rest = parts.findIndex((part) => part.includes("**"));
  if (rest >= 0 && (parts[rest] !== "**" || rest !== parts.length - 1))
    return { fault: "`**` stands alone and last", remedy: "Use `*` for one word or a part of it." };
  const first = parts[0] as string;
  if (verdict === "allow" && /[*?[]/u.test(first)) return { fault: "an allow rule must name its program", remedy: "Write one rule for each program." };
  if (first.includes("="))
    return {
      fault: "a rule's first word is a program, not an assignment",
      remedy: "Leave the assignment out; a command with one is never covered by an allow rule.",
    };
  return { words: parts.map((part) => (part === "**" ? { kind: "rest" } : { kind: "word", glob: part })) };
}

/** The words of a rule as its file writes them. */
export function wordsText(words: readonly PatternWord[]): string {
  return words.map((word) => (word.kind === "rest" ? "**" : word.glob)).join(" ");
}

type Commands = { readonly patterns: readonly (readonly PatternWord[])[]; readonly group?: RuleGroup };

/** What a rule is about: one command, or those of a list that Warder ships. */
export function readCommands(
  said: string | { readonly group: string; readonly version?: number | undefined },
  verdict: "allow" | "ask" | "deny",
): Commands | Extract<RuleWords, { readonly fault: string }> {
  if (typeof said === "string") {
    const read = readRuleWords(said, verdict);
    return "fault" in read ? read : { patterns: [read.words] };
  }
  const { group: name, version } = said;
  const group = Object.hasOwn(COMMAND_GROUPS, name) ? COMMAND_GROUPS[name] : undefined;
  if (group === undefined) return { fault: `there is no group ${JSON.stringify(name)}`, remedy: `Write one of ${Object.keys(COMMAND_GROUPS).join(", ")}.` };
  if (version !== undefined && version !== group.version) {
    return {
      fault: `this Warder has version ${String(group.version)} of the group \`${name}\`, and the rule names version ${String(version)}`,
      remedy: `Read what it holds now in docs/command-groups.md, then write \`version: ${String(group.version)}\`, or leave it out.`,
    };
  }
  if (verdict === "allow" && group.use !== "any")
    return {
      fault: `the group \`${name}\` is written to be asked about or denied, and is too wide to be allowed`,
      remedy: "Write the commands that you mean.",
    };
  const patterns = group.commands.map((command) => readRuleWords(command, verdict)).flatMap((read) => ("words" in read ? [read.words] : []));
  return { patterns, group: { name, version: group.version } };
}

/** Each rule once, where several of them are the commands of one list. */
export function oncePerGroup<Rule extends Pick<CommandRule, "id" | "group">>(rules: readonly Rule[]): readonly Rule[] {
  const seen = new Set<string>();
  return rules.filter(({ id, group }) => group === undefined || (!seen.has(id) && seen.add(id)));
}
