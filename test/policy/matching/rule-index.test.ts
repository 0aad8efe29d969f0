import fc from "fast-check";
import { expect, test } from "vitest";
import { type CompiledRule, compileRule, coversCommand, mayMatchCommand, viewCommand } from "../../../src/policy/matching/command-rules.ts";
import { RuleIndex } from "../../../src/policy/matching/rule-index.ts";
import { analyseCommand } from "../../../src/shell/analyse.ts";
import { policyOf, policyText } from "../bench.ts";

const PROGRAMS = ["git", "npm", "sudo", "*", "g*"];
const LATER = ["push", "run", "-C", "--all", "p*", "*", "git"];
const patterns = fc
  .tuple(fc.constantFrom(...PROGRAMS), fc.array(fc.constantFrom(...LATER), { maxLength: 3 }), fc.constantFrom("", " **"))
  .map(([program, words, rest]) => [program, ...words].join(" ") + rest);

const WORDS = ["git", "push", "run", "-C", "--all", "--all=x", "-", "''", "x", "p*", "[pq]ush", "$v", '"p$v"', "*"];
const commands = fc
  .tuple(
    fc.constantFrom("git", "/usr/bin/git", "npm", "sudo git", "sudo", "timeout 5 git", "sh -c 'git push'", "g*", "./g*", "$v", '"/usr/$v"', "A=b git", "x"),
    fc.array(fc.constantFrom(...WORDS), { maxLength: 5 }),
  )
  .map(([program, words]) => [program, ...words].join(" "));

const named = (rules: readonly CompiledRule[]): string => rules.map(({ rule: { id } }) => id).join(" ");

test("of many rules those that may be about a command are found by its words, in their order", () => {
  const seen = { spoke: 0, left: 0 };
  fc.assert(
    fc.property(fc.uniqueArray(patterns, { minLength: 1, maxLength: 12 }), fc.array(commands, { minLength: 1, maxLength: 12 }), (wanted, texts) => {
      const stated = wanted.map((pattern, index) => `    - { id: r${String(index)}, ask: ${JSON.stringify(pattern)}, because: b }`);
      const rules = policyOf(policyText("commands:", "  rules:", ...stated)).commands.rules.map(compileRule);
      const index = new RuleIndex(rules);
      for (const command of texts.flatMap((text) => analyseCommand(text, { cwd: "/srv/project", home: "/home/dev" }).simples)) {
        const view = viewCommand(command);
        const matching = index.matching(view);
        expect(named(matching.filter((rule) => mayMatchCommand(rule, view)))).toBe(named(rules.filter((rule) => mayMatchCommand(rule, view))));
        const covering = index.covering(command).filter((rule) => coversCommand(rule, command));
        expect(named(covering)).toBe(named(rules.filter((rule) => coversCommand(rule, command))));
        seen.spoke += matching.length;
        seen.left += rules.length - matching.length;
      }
    }),
  );
  // Neither all of them each time, nor none.
  expect(seen.spoke).toBeGreaterThan(0);
  expect(seen.left).toBeGreaterThan(0);
});

test("a command that names its words is compared with the rules that begin with them alone", () => {
  const stated = ["git push **", "git pull *", "npm run x", "* push", "git *"].map(
    (pattern, index) => `    - { id: r${String(index)}, ask: "${pattern}", because: b }`,
  );
  const index = new RuleIndex(policyOf(policyText("commands:", "  rules:", ...stated)).commands.rules.map(compileRule));
  const found = (text: string): readonly string[] => {
    const [command] = analyseCommand(text, { cwd: "/srv/project", home: "/home/dev" }).simples;
    return command === undefined ? [] : index.matching(viewCommand(command)).map(({ rule: { id } }) => id);
  };
  expect(found("git push origin")).toEqual(["r0", "r3", "r4"]);
  expect(found("git -C d push")).toEqual(["r0", "r3", "r4"]);
  expect(found("git $v")).toEqual(["r0", "r1", "r3", "r4"]);
  expect(found("$v")).toEqual(["r0", "r1", "r2", "r3", "r4"]);
});
