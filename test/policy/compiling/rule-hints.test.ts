import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ruleHints } from "../../../src/policy/compiling/rule-hints.ts";
import type { Policy } from "../../../src/policy/policy.ts";
import { decideCommand, policyOf, policyText } from "../bench.ts";

const policy = (...rules: readonly string[]): Policy =>
  policyOf(policyText("autonomy: full", `commands: { rules: [${rules.map((rule, index) => `{ id: r${index}, ${rule}, because: Why. }`).join(", ")}] }`));
const told = (...rules: readonly string[]): readonly string[] => ruleHints(policy(...rules)).map(({ message }) => message);

test.each([
  ["an equal one", ["deny: 'git push'", "deny: 'git push'"], "`r1` says nothing more: `r0`"],
  ["one with more words", ["deny: 'git push **'", "deny: 'git push --force **'"], "`r1` says nothing more: `r0`"],
  ["an earlier one that is narrower", ["ask: 'git push --force'", "ask: 'git **'"], "`r0` says nothing more: `r1`"],
  ["a word that a pattern matches", ["allow: 'npm run t*'", "allow: 'npm run test'"], "`r1` says nothing more: `r0`"],
  ["any word", ["allow: 'git log *'", "allow: 'git log v[0-9]'"], "`r1` says nothing more: `r0`"],
  ["any program", ["deny: '* --force'", "deny: 'git --force'"], "`r1` says nothing more: `r0`"],
  ["an allow that ends no later", ["allow: 'ls', expires: 2027-01-31", "allow: 'ls', expires: 2027-01-30"], "`r1` says nothing more: `r0`"],
  ["an allow that is denied", ["allow: 'git push origin'", "deny: 'git push **'"], "`r0` never decides: `r1` (policy.yaml:4) says deny"],
  ["an ask that is denied", ["ask: 'git push origin'", "deny: 'git push **'"], "`r0` never decides: `r1`"],
  ["an allow that is asked about", ["ask: 'git **'", "allow: 'git log'"], "`r1` never decides: `r0` (policy.yaml:4) says ask"],
  ["a limit beside none", ["allow: 'ls **'", "allow: 'ls', max: 3 per run"], "`r1` says nothing more: `r0`"],
  ["one with the same hours", ["deny: 'ls **', between: '22:00-06:00 UTC'", "deny: 'ls', between: '22:00-06:00 UTC'"], "`r1` says nothing more: `r0`"],
  ["an exception that is none", ["deny: 'git push **', except: ['git pull']"], "The exception `git pull` of the rule `r0` says nothing"],
  ["an exception of another program", ["ask: 'git push', except: ['git push origin']"], "The exception `git push origin` of the rule `r0` says nothing"],
])("a rule that changes nothing is told: %s", (_what, rules, message) => {
  expect(told(...rules)).toEqual([expect.stringContaining(message)]);
});

test.each([
  ["other words", ["deny: 'git push'", "deny: 'git pull'"]],
  ["a longer command", ["deny: 'git push'", "deny: 'git push --force'"]],
  ["a closed rule and an open one", ["deny: 'git *'", "deny: 'git **'"].slice(0, 1)],
  ["patterns that share words", ["deny: 'git pu*'", "deny: 'git *sh'"]],
  ["another verdict that is looser", ["allow: 'git **'", "deny: 'git push **'"]],
  ["a condition", ["deny: 'git **', when: tainted", "allow: 'git log'"]],
  ["an ask that a label brings", ["ask: 'git **'", "ask: 'git push', when: tainted"]],
  ["an allow that ends earlier", ["allow: 'ls', expires: 2027-01-31", "allow: 'ls'"]],
  ["an exception", ["deny: 'git push **', except: ['git push origin next']", "allow: 'git push origin next'"]],
  ["an exception with an option before it", ["deny: 'git push **', except: ['git -C . push']"]],
  ["a limit of an allow", ["allow: 'ls **', max: 3 per run", "allow: 'ls -la'"]],
  ["a limit of the narrower ask", ["ask: 'ls **'", "ask: 'ls', max: 3 per run"]],
  ["hours", ["deny: 'ls **', between: '22:00-06:00 UTC'", "allow: 'ls -la'"]],
  ["other hours", ["allow: 'ls **', between: '22:00-06:00 UTC'", "allow: 'ls', between: '22:00-07:00 UTC'"]],
])("a rule that may decide is not: %s", (_what, rules) => {
  expect(told(...rules)).toEqual([]);
});

test("an allow rule for a program that `only` leaves out is told", () => {
  const only = policyOf(
    policyText("commands:", "  only: [git]", "  rules: [{ id: run, allow: 'npm test', because: Why. }, { id: log, allow: 'git log', because: Why. }]"),
  );
  expect(ruleHints(only).map(({ message, at }) => [message, at.line])).toEqual([
    ["The rule `run` never decides: `only` (policy.yaml:4) does not list `npm`.", 5],
  ]);
});

test("what a parent says for all of its children is not idle because of one of them", () => {
  const rules = (id: string, words: string): string => policyText(`commands: { rules: [{ id: ${id}, deny: '${words}', because: Why. }] }`);
  expect(ruleHints(policyOf(rules("child", "git **"), rules("parent", "git push")))).toEqual([]);
  expect(ruleHints(policyOf(rules("child", "git push"), rules("parent", "git **"))).map(({ at }) => at.file)).toEqual(["policy.yaml"]);
});

const words = fc.constantFrom("git push", "git push **", "git *", "git **", "git pu*", "* push", "git push --force", "git push *", "git", "npm *", "*sh **");
const verdict = fc.constantFrom("allow", "ask", "deny");
const commands = [
  "git",
  "git push",
  "git -C d push",
  "git push --force",
  "git push origin",
  "git $x",
  "git pu* x",
  "sudo git push",
  "/usr/bin/git push",
  "git pull",
  "npm push",
  "bash -c 'git push'",
  "$x push",
];

test("without a rule that is told everything is decided as before", () => {
  let removed = 0;
  fc.assert(
    fc.property(fc.array(fc.tuple(verdict, words), { minLength: 2, maxLength: 4 }), (rules) => {
      const usable = rules.filter(([said, pattern]) => said !== "allow" || !pattern.startsWith("*"));
      const whole = policy(...usable.map(([said, pattern]) => `${said}: '${pattern}'`));
      const [hint] = ruleHints(whole);
      if (hint === undefined) return;
      const id = /`(r\d)`/u.exec(hint.message)?.[1];
      const less: Policy = { ...whole, commands: { ...whole.commands, rules: whole.commands.rules.filter((rule) => rule.id !== id) } };
      removed += 1;
      for (const command of commands) {
        const [one, other] = [decideCommand(whole, command), decideCommand(less, command)];
        expect([command, other.verdict, other.units.map((unit) => unit.verdict)]).toEqual([command, one.verdict, one.units.map((unit) => unit.verdict)]);
      }
    }),
    { numRuns: 400 },
  );
  expect(removed).toBeGreaterThan(50);
});
