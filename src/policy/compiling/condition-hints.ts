import { type PolicyDiagnostic, warningAt } from "../text/diagnostic.ts";
import type { Policy, TightenedEffect } from "../policy.ts";
import { oncePerGroup } from "../matching/rule-words.ts";
import { matchesGlob, parseGlob } from "../matching/glob.ts";
import { TOOL_NAMES } from "../tool-names.ts";

/** Tools that give nothing but Warder's own words, whatever they are asked. */
const OWN_WORDS: ReadonlySet<string> = new Set(["plan_done", "structured_output", "todo_write"]);

/** Where a `when` can never hold, or says nothing that does not hold without it. */
export function conditionHints(policy: Policy): readonly PolicyDiagnostic[] {
  const { rules, tightened = [] } = policy.commands;
  const all = [
    ...oncePerGroup(rules).flatMap(({ id, when, at }) => (when === undefined || when.length === 0 ? [] : [{ name: `the rule \`${id}\``, at }])),
    ...tightened.map(namedEffect),
  ];
  const never = givesNothing(policy)
    ? all.map(({ name, at }) =>
        warningAt(at, "idle-condition", `The \`when\` of ${name} never holds: no tool that the policy leaves gives anything but Warder's own words.`, {
          remedy: "Take it out, or allow the tools that it is meant for.",
        }),
      )
    : [];
  return [...never, ...tightened.flatMap((effect, index) => idle(policy, effect, tightened.slice(0, index)))];
}

function namedEffect({ kind, at }: TightenedEffect): { readonly name: string; readonly at: TightenedEffect["at"] } {
  return { name: `the effect \`${kind}\``, at };
}

/** What holds anyway, or by another entry with fewer conditions. */
function idle({ commands }: Policy, effect: TightenedEffect, before: readonly TightenedEffect[]): readonly PolicyDiagnostic[] {
  const { kind, verdict, when, at } = effect;
  const isAsStrict = (other: string | undefined): boolean => other === "deny" || other === verdict;
  const plain = commands.effects.get(kind);
  const other = before.find((each) => each.kind === kind && isAsStrict(each.verdict) && each.when.every((sight) => when.includes(sight)));
  const by = isAsStrict(plain?.verdict) ? plain : other;
  if (by === undefined) return [];
  return [
    warningAt(at, "redundant", `This says nothing more: ${by.at.file}:${by.at.line} says \`${by.verdict}\` for \`${kind}\` already.`, {
      remedy: "Take one of them out, or make this one stricter.",
    }),
  ];
}

function givesNothing({ tools }: Policy): boolean {
  const listed = tools.allow.flatMap((pattern) => Object.keys(TOOL_NAMES).filter((name) => matchesGlob(parseGlob(pattern), name)));
  // A pattern that stands for none of Warder's tools is for somebody else's.
  const isForeign = tools.allow.some((pattern) => pattern.includes("*") || !Object.hasOwn(TOOL_NAMES, pattern));
  return !isForeign && listed.every((name) => OWN_WORDS.has(name) || tools.deny.some((pattern) => matchesGlob(parseGlob(pattern), name)));
}
