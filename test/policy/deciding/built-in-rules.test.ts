import { expect, test } from "vitest";
import { BUILT_IN_RULES } from "../../../src/policy/deciding/built-in-rules.ts";

/** Ids stand in audit logs, scripts and documentation: this list only grows. */
const PINNED = [
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
];

test("the ids of built-in rules are pinned", () => {
  expect([...BUILT_IN_RULES]).toEqual(PINNED);
});
