import { oncePerGroup } from "../matching/rule-words.ts";
import type { CommandRule, Policy } from "../policy.ts";
import { type PolicyDiagnostic, warningAt } from "../text/diagnostic.ts";

/** Where a file says who answers for its rules: those that allow and name nobody. */
export function ownerHints({ commands: { rules } }: Policy): readonly PolicyDiagnostic[] {
  const owned = new Set(rules.filter(({ owner }) => owner !== undefined).map(({ at }) => at.file));
  const isUnowned = ({ verdict, owner, at }: CommandRule): boolean => verdict === "allow" && owner === undefined && owned.has(at.file);
  return oncePerGroup(rules)
    .filter(isUnowned)
    .map(({ id, at }) =>
      warningAt(at, "unowned", `The rule \`${id}\` allows, and nobody answers for it.`, {
        why: "Other rules of the file say who does.",
        remedy: "Add `owner`.",
      }),
    );
}
