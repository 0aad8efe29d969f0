import type { RuleVoice } from "../../policy/decision.ts";

/** Where a rule stands, for a person. */
export function placeOf(rule: RuleVoice): string {
  return rule.at === undefined ? "built in" : `${rule.at.file}:${rule.at.line}`;
}
