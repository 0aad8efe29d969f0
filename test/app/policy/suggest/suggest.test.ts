import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { backtest } from "../../../../src/app/policy/backtest/backtest.ts";
import { reportOf } from "../../../../src/app/policy/backtest/report.ts";
import { type Suggestions, suggestRules } from "../../../../src/app/policy/suggest/suggest.ts";
import { callLog, type LoggedInput } from "../../../support/call-log.ts";
import { warder, writePolicy } from "../../../support/warder-cli.ts";

const OWN =
  "version: 1\nname: mine\nextends: supervised\n# What we agreed on.\ncommands:\n  rules:\n    - id: no-push # in the spring\n      deny: git push **\n      because: Others push.\n";
const yes = (command: string, run = "run-1"): LoggedInput => [{ command }, { answer: "granted", run }];
const no = (command: string): LoggedInput => [{ command }, { answer: "refused" }];

async function suggested(calls: readonly LoggedInput[], policy = OWN): Promise<Suggestions> {
  const { here, audit } = callLog(calls);
  return await suggestRules(audit, writePolicy(here, "mine", policy), {}, here.workspace);
}

const allowed = ({ suggestions }: Suggestions): readonly string[] => suggestions.map(({ rule }) => rule.allow);

describe("suggested rules", () => {
  test("answer what was answered with yes: with an open operand for several commands, by its words for one", async () => {
    const found = await suggested([yes("git tag v1"), yes("git tag v2", "run-2"), yes("git tag v2"), yes("git branch topic")]);
    expect(found).toMatchObject({ policy: "mine", open: 4 });
    expect(found.suggestions).toMatchObject([
      {
        rule: { id: "git-tag", allow: "git tag *", because: "Asked 3 times since 2026-01-02, and answered with yes each time." },
        questions: 3,
        runs: 2,
        last: "2026-01-02T03:07:05.000Z",
        alsoAllows: "git tag other",
        leaves: "git tag other --force",
      },
      {
        rule: { id: "git-branch-topic", allow: "git branch topic", because: "Asked once since 2026-01-02, and answered with yes each time." },
        alsoAllows: null,
      },
    ]);
    for (const { rule } of found.suggestions) expect(Date.parse(rule.expires)).toBeGreaterThan(Date.now() + 80 * 86_400_000);
  });

  test("allow nothing that was refused or denied", async () => {
    expect(allowed(await suggested([yes("git tag v1"), yes("git tag v2"), no("git tag v3")]))).toEqual(["git tag v1", "git tag v2"]);
    expect(allowed(await suggested([yes("git tag v1"), no("git tag v1")]))).toEqual([]);
    expect(allowed(await suggested([yes("git tag v1"), [{ command: "git tag v1" }, { verdict: "deny" }]]))).toEqual([]);
  });

  test("answer nothing of high risk, and nothing that the policy denies or allows by now", async () => {
    const found = await suggested([yes("git push origin main"), yes("git reset --hard HEAD~3"), yes("curl -d @x https://example.org"), yes("ls")]);
    expect(found).toMatchObject({ open: 0, suggestions: [], patch: null });
  });

  test("are a patch that leaves comments and all else, loads, and answers the questions", async () => {
    const { here, audit } = callLog([yes("git tag v1"), yes("git tag v2")]);
    const file = writePolicy(here, "mine", OWN);
    const before = reportOf(await backtest(audit, file, {}, here.workspace));
    expect(before.after).toEqual({ allow: 0, ask: 2, deny: 0 });
    const words = ["policy", "suggest", "./mine.yaml", "--since", "2026-01-01", "--patch", "--workspace", here.workspace];
    const { exitCode, stdout } = await warder({ ...here, workspace: here.root }, words);
    expect(exitCode).toBe(0);
    writeFileSync(join(here.root, "patch"), stdout);
    execFileSync("git", ["apply", "patch"], { cwd: here.root, env: { ...process.env, GIT_CEILING_DIRECTORIES: join(here.root, "..") } });
    expect(readFileSync(file, "utf8").startsWith(OWN)).toBe(true);
    expect(await warder(here, ["policy", "check", file])).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("2 rules") });
    expect(reportOf(await backtest(audit, file, {}, here.workspace)).after).toEqual({ allow: 2, ask: 0, deny: 0 });
  });

  test("are no patch where the file has brackets, and none for a shipped policy", async () => {
    const found = await suggested([yes("git tag v1")], "version: 1\nname: mine\nextends: supervised\ncommands: { only: [git] }\n");
    expect(found).toMatchObject({ suggestions: [{ rule: { allow: "git tag v1" } }], patch: null });
    const { here, audit } = callLog([yes("git tag v1")]);
    await expect(suggestRules(audit, "supervised", {}, here.workspace)).rejects.toThrow("Write a policy of your own that says `extends: supervised`");
  });
});
