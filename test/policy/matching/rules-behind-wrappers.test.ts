import { expect, test } from "vitest";
import { commandRequest, decideRequest, policyOf, policyText, simpleCommand } from "../bench.ts";

const POLICY = policyOf(
  policyText(
    "autonomy: supervised",
    "commands:",
    "  rules:",
    "    - { id: no-publish, deny: 'npm publish **', because: reason }",
    "    - { id: no-root-removal, deny: 'sudo rm **', because: reason }",
  ),
);

function ruleOf(words: string, change: Parameters<typeof simpleCommand>[1]): string | undefined {
  return decideRequest(POLICY, commandRequest(simpleCommand(words, change))).rules[0]?.id;
}

test("a rule about npm says nothing of the commands in npm's scripts", () => {
  expect(ruleOf("vitest run", { via: ["npm"], contexts: ["nested-shell"] })).toBe("baseline-supervised-low");
  expect(ruleOf("npm publish", { via: ["npm"], contexts: ["nested-shell"] })).toBe("no-publish");
  expect(ruleOf("npm publish --tag next", {})).toBe("no-publish");
});

test("a rule about a wrapper and its program speaks of both, through a shell too", () => {
  expect(ruleOf("rm x", { via: ["sudo", "timeout"] })).toBe("no-root-removal");
  expect(ruleOf("rm x", { via: ["sudo", "bash"], contexts: ["nested-shell"] })).toBe("no-root-removal");
  expect(ruleOf("publish", { via: ["npm"] })).toBe("no-publish");
});
