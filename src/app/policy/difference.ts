import { listDifference } from "../../approvals/card-difference.ts";
import { effectiveEntries } from "../../policy/printing/entries.ts";
import { entryText } from "../../policy/printing/text.ts";
import type { Policy } from "../../policy/policy.ts";

/** What a policy says, a line for each thing, without the places where it stands. */
export function policyLines(policy: Policy): readonly string[] {
  return [`name: ${policy.name}`, ...effectiveEntries(policy).map(entryText)];
}

/** What differs between two texts of policies, for a person: `- key: was`, `+ key: is`. `before`: JSON of {@link policyLines}, null when it was not kept. */
export function policyDifference(before: string | null, now: Policy): readonly string[] {
  const lines: unknown = before === null ? null : JSON.parse(before);
  // Earlier versions kept another form.
  if (!Array.isArray(lines)) return ["~ what the policy said before was not kept"];
  const differs = listDifference("policy", lines as readonly string[], policyLines(now));
  return differs.length > 0 ? differs : ["~ the policy differs in what is not shown here"];
}
