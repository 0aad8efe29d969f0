import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { sha256 } from "../../src/base/digest.ts";
import { COMMAND_GROUPS } from "../../src/programs/command-groups.ts";
import { diffPolicies } from "../../src/policy/comparing/diff-policies.ts";
import { outcomeOf } from "../../src/policy/comparing/difference.ts";
import { ruleHints } from "../../src/policy/compiling/rule-hints.ts";
import type { Policy } from "../../src/policy/policy.ts";
import { analyseCommand } from "../../src/shell/analyse.ts";
import { compileTexts, CONTEXT, decideCommand, policyOf, policyText } from "../policy/bench.ts";

const groups = Object.entries(COMMAND_GROUPS).map(([name, group]) => ({ name, ...group }));
const ROOT = "workspace: { roots: [{ path: ., access: read-write }] }";
const withRule = (rule: string): Policy => policyOf(policyText("autonomy: full", ROOT, `commands: { rules: [{ id: one, ${rule}, because: Why. }] }`));
/** A command that the pattern stands for. */
const example = (pattern: string): string =>
  pattern.replaceAll("[!-]*", "a").replaceAll("[0-9]", "1").replaceAll(" **", "").replaceAll("+*", "+a").replaceAll("--force*", "--force").replaceAll("*", "a");

/** Who changes a list raises its version, and writes both here. */
const PINNED: Readonly<Record<string, string>> = {
  "git-read": "1 334f5943daba",
  "git-commit": "1 a9d81ccb97d7",
  "git-publish": "1 e67eadf4db1b",
  "git-rewrite": "1 06981e398e6c",
  "package-install": "1 bf463461ca74",
  "package-publish": "1 6297dcbf32f6",
  "remote-shell": "1 f355dcacffb7",
  privilege: "1 579ff5fcc1dc",
  "infrastructure-change": "1 45c8c12b7902",
};

test("a list is what its version says", () => {
  expect(Object.fromEntries(groups.map(({ name, version, commands }) => [name, `${String(version)} ${sha256(commands.join("\n")).slice(0, 12)}`]))).toEqual(
    PINNED,
  );
});

test("the page of the groups has each of them as it is", () => {
  const page = readFileSync(new URL("../../docs/command-groups.md", import.meta.url), "utf8");
  for (const { name, version, about, use, commands } of groups) {
    expect(page).toContain(`\n## ${name}\n\nVersion ${String(version)}. ${about}.\n\n\`\`\`text\n${commands.join("\n")}\n\`\`\`\n`);
    expect(page).toContain(`| [\`${name}\`](#${name}) | ${about} | ${use === "any" ? "allowed, asked about, denied" : "asked about, denied"} |`);
  }
  expect(page.match(/^## /gmu)).toHaveLength(groups.length);
});

describe.each(groups)("$name", ({ name, use, commands }) => {
  test("each of its commands is denied by the group, and no other one is needed", () => {
    const policy = withRule(`deny: { group: ${name} }`);
    expect(commands.filter((command) => !decideCommand(policy, example(command)).rules.some(({ id }) => id === "one"))).toEqual([]);
    expect(new Set(commands).size).toBe(commands.length);
    expect(ruleHints(policy)).toEqual([]);
  });

  test("is wide only where it cannot be allowed", () => {
    const isWide = commands.some((command) => command.endsWith("**"));
    const text = policyText(`commands: { rules: [{ id: one, allow: { group: ${name} }, because: Why. }] }`);
    expect([isWide, compileTexts([text]).kind]).toEqual(use === "any" ? [false, "compiled"] : [true, "refused"]);
  });

  test("decides as its commands do one by one", () => {
    const apart = policyOf(
      policyText(
        "autonomy: full",
        ROOT,
        "commands:",
        "  rules:",
        ...commands.map((command, index) => `    - { id: r${String(index)}, ask: ${JSON.stringify(command)}, because: Why. }`),
      ),
    );
    expect(diffPolicies(withRule(`ask: { group: ${name} }`), apart, CONTEXT, 0)).toEqual([]);
  });
});

test("what git-read allows reads, and nothing that makes it do more is allowed", () => {
  const reading = COMMAND_GROUPS["git-read"]?.commands.map(example) ?? [];
  const effects = reading.flatMap((command) =>
    analyseCommand(command, { cwd: CONTEXT.workspace, home: CONTEXT.home }).effects.map(({ kind }) => `${command}: ${kind}`),
  );
  expect(effects.filter((effect) => !effect.endsWith(": reads"))).toEqual([]);
  const policy = withRule("allow: { group: git-read }");
  const more = [
    "git log --output=x",
    "git diff --ext-diff",
    "git diff --output=x a",
    "git show --textconv",
    "git -c core.pager=./x log",
    "git --exec-path=. status",
    "git branch a",
    "git branch -D a",
    "git tag v1",
    "git remote -v update",
    "GIT_PAGER=./x git log",
    "git log --oneline -1 --output=x",
    "git blame --contents x a",
    "git log < x",
    "git $x",
    "sudo git log",
  ];
  expect(more.filter((command) => decideCommand(policy, command).rules.some(({ id }) => id === "one"))).toEqual([]);
});

test("a shipped list that changed is told with its version and the commands that it won or lost", () => {
  const now = withRule("deny: { group: privilege }");
  const earlier = {
    ...now,
    commands: { ...now.commands, rules: now.commands.rules.slice(1).map((rule) => ({ ...rule, group: { name: "privilege", version: 0 } })) },
  };
  const differences = diffPolicies(now, earlier, CONTEXT, 0);
  expect(outcomeOf(differences)).toBe("widens");
  expect(differences.map(({ part }) => part.was)).toEqual(["deny `sudo **` of the group privilege, version 1"]);
});
