import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { inspectPolicyText } from "../../../src/app/policy/check.ts";
import { shippedNames, SHIPPED_POLICIES } from "../../../src/config/shipped-policies.ts";
import { readFileSync, writeFileSync } from "node:fs";
import { LINTS, type LintCode } from "../../../src/policy/text/lints.ts";
import { temporaryDirectory } from "../../support/temporary-store.ts";

const HEAD = "version: 1\nname: seeded\nextends: supervised\n";
const rule = (id: string, decides: string, more = ""): string => `    - id: ${id}\n      ${decides}\n      because: "A test."\n${more}`;
const rules = (...all: readonly string[]): string => `${HEAD}commands:\n  rules:\n${all.join("")}`;
const allow = (pattern: string): string => `allow: "${pattern}"`;
const ask = (pattern: string): string => `ask: "${pattern}"`;
const deny = (pattern: string): string => `deny: "${pattern}"`;
/** The line of a rule of three lines, with nothing else before. */
const RULE = [6, 9, 12] as const;

type Fault = readonly [code: LintCode, text: string, line: number, witness: string];

const overBroad = (pattern: string, witness: string): Fault => ["over-broad", rules(rule("a", allow(pattern))), RULE[0], witness];
const idle = (code: LintCode, one: string, other: string, at: 0 | 1 = 0): Fault => [
  code,
  rules(rule("a", one), rule("b", other)),
  RULE[at],
  at === 0 ? "`b`" : "`a`",
];
const misspelt = (name: string, meant: string): Fault => ["unknown-program", rules(rule("a", deny(`${name} **`))), RULE[0], meant];

const FAULTS: readonly Fault[] = [
  overBroad("git **", "core.pager"),
  overBroad("awk **", "system("),
  overBroad("cargo **", "cargo run"),
  overBroad("go **", "go run"),
  overBroad("make **", "SHELL="),
  overBroad("npx *", "npx x"),
  overBroad("node **", "node -e"),
  overBroad("npm **", "npm exec"),
  overBroad("npx **", "npx x"),
  overBroad("perl **", "perl -e"),
  overBroad("pip **", "pip install"),
  overBroad("python3 **", "python3 -c"),
  overBroad("ruby **", "ruby -e"),
  idle("never-decides", allow("git tag *"), deny("git tag **")),
  idle("never-decides", allow("git tag *"), ask("git tag **")),
  idle("never-decides", ask("git tag v1"), deny("git tag *")),
  idle("never-decides", allow("npm test"), deny("npm **")),
  idle("never-decides", deny("npm **"), allow("npm run build"), 1),
  idle("never-decides", allow("make -n"), ask("make *")),
  idle("never-decides", allow("ls a"), deny("ls a")),
  idle("never-decides", ask("ls *"), deny("* **")),
  ["never-decides", `${HEAD}commands:\n  only: [git]\n  rules:\n${rule("a", allow("make test"))}`, 7, "`only`"],
  idle("redundant", allow("npm run build"), allow("npm run *")),
  idle("redundant", deny("git tag **"), deny("git tag v*"), 1),
  idle("redundant", ask("git tag a"), ask("git tag a"), 1),
  idle("redundant", deny("curl **"), deny("curl -o a"), 1),
  idle("redundant", ask("npm ci"), ask("npm *")),
  idle("redundant", allow("npm run lint"), allow("npm run lint*")),
  ["redundant", rules(rule("a", deny("git tag **")), rule("b", ask("ls")), rule("c", deny("git tag -d *"))), RULE[2], "`a`"],
  ["redundant", `${HEAD}commands:\n  effects:\n    sends: [deny, { verdict: deny, when: tainted }]\n`, 6, "`sends`"],
  ["redundant", `${HEAD}commands:\n  effects:\n    publishes: [deny, { verdict: ask, when: sensitive }]\n`, 6, "`publishes`"],
  ["idle-exception", rules(rule("a", deny("git tag **"), '      except: ["git push"]\n')), RULE[0], "git push"],
  ["idle-exception", rules(rule("a", ask("npm run *"), '      except: ["npm ci"]\n')), RULE[0], "npm ci"],
  ["idle-condition", `${HEAD}commands:\n  effects:\n    sends: { verdict: deny, when: tainted }\ntools:\n  allow: [todo_write]\n`, 6, "`sends`"],
  ["looser-than-parent", "version: 1\nname: seeded\nextends: read-only\nautonomy: full\n", 4, "autonomy"],
  ["looser-than-parent", "version: 1\nname: seeded\nextends: read-only\nautonomy: supervised\n", 4, "autonomy"],
  ["expired", rules(rule("a", allow("npm run a"), "      expires: 2020-01-01\n")), RULE[0], "2020-01-01"],
  ["expired", rules(rule("a", deny("npm run a"), "      expires: 2020-01-01\n")), RULE[0], "still speaks"],
  ["expired", rules(rule("a", ask("npm run a"), "      expires: 2020-12-31\n")), RULE[0], "still speaks"],
  ["unowned", rules(rule("a", allow("npm run a"), '      owner: "us"\n'), rule("b", allow("npm run b"))), 10, "`b`"],
  ["unowned", rules(rule("a", deny("curl **"), '      owner: "us"\n'), rule("b", allow("npm run b"))), 10, "`b`"],
  ["unknown-tool", `${HEAD}tools:\n  deny: [shel]\n`, 5, "shel"],
  ["unknown-tool", `${HEAD}tools:\n  deny: [shell, writefile]\n`, 5, "writefile"],
  ["unknown-tool", `${HEAD}tools:\n  deny:\n    - web-fetsh\n`, 6, "web-fetsh"],
  misspelt("curI", "curl"),
  misspelt("cur1", "curl"),
  misspelt("gti", "git"),
  misspelt("mkae", "make"),
  misspelt("dokcer", "docker"),
  misspelt("kubetl", "kubectl"),
  misspelt("rsyncc", "rsync"),
  ["open-registry", `${HEAD}sandbox:\n  network: { allow: [npm.example.com] }\n`, 5, "npm.example.com"],
  ["open-registry", `${HEAD}sandbox:\n  network: { allow: [a.example.com, pypi.example.com] }\n`, 5, "pypi.example.com"],
];

describe("the linter", () => {
  test.each(FAULTS.map(([code, text, line, witness], index) => ({ name: `${String(index + 1)} ${code} ${witness}`, code, text, line, witness })))(
    "finds fault $name",
    async ({ code, text, line, witness }) => {
      const directory = temporaryDirectory();
      const file = join(directory, "policy.yaml");
      writeFileSync(file, text);
      const { policy, diagnostics } = await inspectPolicyText(file, text, directory);
      expect(policy, JSON.stringify(diagnostics)).not.toBeNull();
      const found = diagnostics.find((each) => each.code === code && each.at.line === line);
      expect(found, JSON.stringify(diagnostics)).toBeDefined();
      expect(found?.message).toContain(witness);
      expect(`${found?.remedy ?? ""}${found?.why ?? ""}`).not.toBe("");
    },
  );

  test("finds at least fifty, and each kind but what only time brings", () => {
    expect(FAULTS.length).toBeGreaterThanOrEqual(50);
    expect(Object.keys(LINTS).filter((code) => !FAULTS.some(([found]) => found === code))).toEqual(["expires-soon"]);
  });

  test.each(shippedNames())("finds none in %s", async (name) => {
    const file = join(SHIPPED_POLICIES, `${name}.yaml`);
    expect((await inspectPolicyText(file, readFileSync(file, "utf8"), temporaryDirectory())).diagnostics).toEqual([]);
  });
});

test("the guide names each kind", () => {
  const guide = readFileSync(join(import.meta.dirname, "../../../docs/guides/policy-lint.md"), "utf8");
  expect(Object.keys(LINTS).filter((code) => !guide.includes(`\`${code}\``))).toEqual([]);
});
