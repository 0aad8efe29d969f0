/** Ids of the rules that are built in. Stable: they stand in audit logs, messages, tests and documentation. No rule of a file may take one. */
export const BUILT_IN_RULES = [
  "stop-switch",
  "sandbox-missing",
  "hidden-character",
  "undecodable",
  "own-command",
  "own-state",
  "forbidden-path",
  "protected-path",
  "outside-roots",
  "read-only-autonomy",
  "budget-actions",
  "budget-asks",
  "only",
  "tool-denied",
  "tool-not-allowed",
  "no-network",
  "host-not-allowed",
  "block-high-risk",
  "no-rule",
  "persons-answer",
  "plan-approval",
] as const;

/** Whether an id belongs to what is built in: one of the list, `effect-KIND` or `baseline-AUTONOMY-RISK`. */
export function isBuiltInRule(id: string): boolean {
  return (BUILT_IN_RULES as readonly string[]).includes(id) || id.startsWith("effect-") || id.startsWith("baseline-");
}
