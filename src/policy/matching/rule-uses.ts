import type { CommandContext, SimpleCommand } from "../../shell/model/model.ts";
import type { CommandRule } from "../policy.ts";
import { usesText } from "../text/uses.ts";
import { type CompiledRule, coversCommand, speaksAbout, viewCommand } from "./command-rules.ts";

/** Where a command that is written once runs at most once. */
const ONCE: ReadonlySet<CommandContext> = new Set([
  "pipeline",
  "subshell",
  "group",
  "background",
  "coproc",
  "command-substitution",
  "process-substitution",
] satisfies CommandContext[]);

/**
 * How often a call uses each rule that has a limit, by the rule's id: once for each command that the rule is about. Infinite where nobody can say how often one of
 * them runs: in a loop, a condition or a function, and behind a wrapper.
 */
export function usesOfCall(rules: readonly CompiledRule[], commands: Iterable<SimpleCommand>): ReadonlyMap<string, number> {
  const uses = new Map<string, number>();
  if (rules.length === 0) return uses;
  for (const command of commands) {
    const view = viewCommand(command);
    const isOnce = command.via.length === 0 && command.contexts.every((context) => ONCE.has(context));
    const about = new Set(
      rules.filter((rule) => (rule.rule.verdict === "allow" ? coversCommand(rule, command) : speaksAbout(rule, command, view))).map(({ rule }) => rule.id),
    );
    for (const id of about) uses.set(id, (uses.get(id) ?? 0) + (isOnce ? 1 : Number.POSITIVE_INFINITY));
  }
  return uses;
}

/** `before`: how often each rule was used, by id; absent: no run counts. `inCall`: how often the call uses it. */
export type UseCounts = { readonly before: ReadonlyMap<string, number> | undefined; readonly inCall: ReadonlyMap<string, number> };

/**
 * Why the limit of a rule leaves no room for the call; null: it does, or there is none. A rule that the counts of a run do not know is used up. What a question is
 * about may run any number of times: whoever says yes has seen it, and it takes all that is left.
 */
export function whyUsedUp({ id, verdict, max }: Pick<CommandRule, "id" | "verdict" | "max">, { before, inCall }: UseCounts): string | null {
  if (max === undefined) return null;
  const used = before === undefined ? 0 : (before.get(id) ?? max.times);
  const wanted = inCall.get(id) ?? 1;
  const isUncounted = wanted === Number.POSITIVE_INFINITY;
  if (isUncounted && verdict === "allow") return `is limited to ${usesText(max)}, and nobody can count how often this would use it`;
  if (used + (isUncounted ? 1 : wanted) <= max.times) return null;
  return `is limited to ${usesText(max)}: ${String(used)} so far, and ${isUncounted ? "an unknown number" : String(wanted)} more with this call`;
}

/** What a rule that speaks says: why it is there, and how its limit stands. */
export function saidBy({ id, because, max }: CommandRule, { before }: UseCounts): string {
  if (max === undefined) return because;
  return `${because} It is limited to ${usesText(max)}${before === undefined ? ", which a run counts" : `, ${String(before.get(id) ?? max.times)} so far`}.`;
}
