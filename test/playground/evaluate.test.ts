import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { comparePolicies } from "../../src/app/policy/comparison.ts";
import { shippedNames, SHIPPED_POLICIES } from "../../src/config/shipped-policies.ts";
import { evaluate, type PlaygroundInput } from "../../src/playground/evaluate.ts";
import { temporaryDirectory } from "../support/temporary-store.ts";

const SHIPPED: ReadonlyMap<string, string> = new Map(shippedNames().map((name) => [name, readFileSync(join(SHIPPED_POLICIES, `${name}.yaml`), "utf8")]));
const policy = (more: string): string => `version: 1\nname: mine\nextends: supervised\n${more}`;
const rule = (id: string, decides: string): string => `    - id: ${id}\n      ${decides}\n      because: "A test."\n`;
const RULES = `commands:\n  rules:\n${rule("scripts", 'allow: "npm run *"')}`;

const lines = ({ verdict, rule: id }: { readonly verdict: string; readonly rule: string }): string => `${verdict} ${id}`;

const shown = (input: Partial<PlaygroundInput>) =>
  evaluate({ before: policy(""), after: policy(""), calls: [], containment: "profile", seen: [], nowMs: Date.UTC(2026, 0, 1), ...input }, SHIPPED);

describe("the playground", () => {
  test.each([
    ["", RULES],
    [RULES, ""],
    [RULES, `commands:\n  rules:\n${rule("scripts", 'allow: "npm run build"')}${rule("no-tags", 'deny: "git tag **"')}`],
    ["", "workspace:\n  forbidden: [secrets/**]\n"],
    ["", "autonomy: full\n"],
    ["", ""],
  ])("says of %j and %j what `policy diff` says", async (before, after) => {
    const directory = temporaryDirectory();
    const files = [before, after].map((text, index) => {
      const file = join(directory, `${index === 0 ? "before" : "after"}.yaml`);
      writeFileSync(file, policy(text));
      return { kind: "file", file } as const;
    });
    const told = await comparePolicies(files[0]!, files[1]!);
    const { comparison } = shown({ before: policy(before), after: policy(after), nowMs: Date.now() });
    expect(comparison?.outcome).toBe(told.outcome);
    const witnesses = comparison?.groups
      .flatMap(({ parts }) => parts.flatMap((part) => part.witnesses))
      .map((each) => `${lines(each.before)} ${lines(each.after)}`);
    const expected = told.differences.flatMap(({ witness }) => (witness === undefined ? [] : [`${lines(witness.before)} ${lines(witness.after)}`]));
    expect(new Set(witnesses)).toEqual(new Set(expected));
    expect(witnesses).toHaveLength(expected.length);
  });

  test("decides each kind of call by both policies, with the effects and the rules that decide them", () => {
    const calls = ["npm run build", "", "read: .env", "write: ~/.bashrc", "connect: api.example.com:8443", "tool: github__create_issue"];
    const view = shown({ after: policy(RULES), calls });
    expect(view.calls.map(({ text, before, after }) => [text, before?.verdict, after?.verdict])).toEqual([
      ["npm run build", "ask", "allow"],
      ["read: .env", "deny", "deny"],
      ["write: ~/.bashrc", "ask", "ask"],
      ["connect: api.example.com:8443", "deny", "deny"],
      ["tool: github__create_issue", "ask", "ask"],
    ]);
    expect(view.calls[0]?.after?.units).toEqual([
      { subject: "`npm run build` runs a script of package.json", verdict: "allow", rule: "scripts", at: "after.yaml:6" },
    ]);
  });

  test("outside the sandbox, and after what the model saw, it decides as there", () => {
    const conditional =
      'version: 1\nname: mine\nextends: unattended\ncommands:\n  rules:\n    - id: seen\n      deny: "date **"\n      because: "A test."\n      when: tainted\n';
    const verdictOf = (more: Partial<PlaygroundInput>): unknown => shown({ after: conditional, calls: ["date"], ...more }).calls[0]?.after?.verdict;
    expect([verdictOf({}), verdictOf({ seen: ["tainted"] })]).toEqual(["allow", "deny"]);
    const inside = shown({ after: conditional, calls: ["sh x.sh"] }).calls[0]?.after?.verdict;
    const outside = shown({ after: conditional, calls: ["sh x.sh"], containment: "none" }).calls[0]?.after?.verdict;
    expect(inside).toBe("allow");
    expect(outside).not.toBe("allow");
  });

  test("says what is wrong with a text, with its place, and what the other policy decides", () => {
    const view = shown({ after: "version: 1\nname: x\nextends: supervised\nautonomy: much\n", calls: ["ls"] });
    expect(view.comparison).toBeNull();
    expect(view.after).toMatchObject([{ severity: "error", file: "after.yaml", line: 4, column: 11 }]);
    expect(view.calls).toMatchObject([{ before: { verdict: "allow" }, after: null }]);
  });

  test.each(["extends: ./other.yaml\n", "extends: nothing\n", "extends: [a]\n", "extends: after.yaml\n"])("%j is refused with what to do", (text) => {
    expect(shown({ after: `version: 1\nname: x\n${text}` }).after).toMatchObject([{ severity: "error", line: 3 }]);
  });

  test.each([
    ["an empty text", ""],
    ["a control character", "\u0000"],
    ["an open brace", "{"],
    ["a list", "- a"],
    ["another version", "version: 2"],
    ["an alias of itself", "a: &a [*a]"],
    ["a tag", "!!js/function x"],
    ["two megabytes", "x".repeat(2_000_000)],
  ])("%s is no policy, and nothing breaks", (_name, text) => {
    const view = shown({ after: text });
    expect(view.comparison).toBeNull();
    expect(view.after.length).toBeGreaterThan(0);
  });

  test.each([
    ["two words", "connect: a b"],
    ["a port", "connect: x:99999"],
    ["nothing", "read:"],
    ["a long line", "x".repeat(70_000)],
  ])("%s is told to be no call", (_name, line) => {
    expect(shown({ calls: [line] }).calls).toMatchObject([{ problem: expect.any(String), before: null, after: null }]);
  });

  test("text that would forge a line is shown as what it is", () => {
    expect(shown({ calls: ["ls \u202e\u0007"] }).calls[0]?.text).toBe("ls \\u{202e}\\u{7}");
  });
});
