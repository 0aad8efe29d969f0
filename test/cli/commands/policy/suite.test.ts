import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { shippedNames } from "../../../../src/config/shipped-policies.ts";
import { place } from "../../../support/test-place.ts";
import { type CliEnd, warder, writePolicy } from "../../../support/warder-cli.ts";

const POLICY = `version: 1
name: nightly
extends: unattended
commands:
  rules:
    - { id: no-publish, deny: "npm publish **", because: Releases are made by people. }
    - { id: no-tags, deny: "git tag **", because: Tags are releases. }
`;

/** `warder policy test` of a policy with this suite beside it; null: without one. */
async function tested(suite: string | null, ...options: readonly string[]): Promise<CliEnd> {
  const here = place();
  const policy = writePolicy(here, "nightly", POLICY);
  if (suite !== null) writeFileSync(join(here.root, "nightly.test.yaml"), suite);
  return await warder(here, ["policy", "test", policy, ...options]);
}

test("warder policy schema prints what editors are given", async () => {
  const shipped = readFileSync(new URL("../../../../schemas/policy.schema.json", import.meta.url), "utf8");
  expect(await warder(place(), ["policy", "schema"])).toMatchObject({ exitCode: 0, stdout: shipped });
});

describe("warder policy test", () => {
  test.each(shippedNames())("the suite of the shipped policy %s passes", async (name) => {
    expect(await warder(place(), ["policy", "test", name])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^\d\d cases: \d\d passed, 0 failed/u),
    });
  });

  test("judges commands, paths, hosts and foreign tools, and counts the rules that spoke", async () => {
    const suite = `cases:
  - { command: npm publish, decision: deny, rule: no-publish }
  - { command: npm test, containment: none, decision: ask, rule: baseline-full-high }
  - { read: "~/.ssh/id_rsa", decision: deny, rule: forbidden-path }
  - { write: src/a.ts, decision: allow, rule: baseline-full-medium }
  - { connect: "a.example.org:8443", decision: deny, rule: no-network }
  - { invoke: server__tool, decision: ask, rule: baseline-full-high }
`;
    const end = await tested(suite);
    expect(end).toMatchObject({ exitCode: 0, stderr: "" });
    expect(end.stdout).toMatch(/^no case meets the rule no-tags \(.*nightly\.yaml:7\)\n6 cases: 6 passed, 0 failed; 1 of 2 rules met\n$/u);
  });

  test("says what was expected and what came, and where", async () => {
    const suite = "cases:\n  - { command: git tag v1, decision: allow, rule: baseline-full-medium }\n  - { command: ls, decision: allow, rule: other }\n";
    const end = await tested(suite);
    expect(end.exitCode).toBe(1);
    expect(end.stdout).toMatch(
      /nightly\.test\.yaml:2: command git tag v1: expected allow by baseline-full-medium, got deny by no-tags: .*Tags are releases\.\n/u,
    );
    expect(end.stdout).toContain("nightly.test.yaml:3: command ls: expected allow by other, got allow by baseline-full-low");
    expect(end.stdout).toContain("2 cases: 0 passed, 2 failed");
    const json = JSON.parse((await tested(suite, "--json")).stdout) as { cases: readonly { isMet: boolean }[] };
    expect(json.cases.map(({ isMet }) => isMet)).toEqual([false, false]);
  });

  test("a case without a rule wants the decision alone", async () => {
    const end = await tested("cases:\n  - { command: npm publish, decision: deny }\n  - { command: ls, decision: deny }\n");
    expect(end.exitCode).toBe(1);
    expect(end.stdout).toContain("nightly.test.yaml:3: command ls: expected deny, got allow by baseline-full-low");
    expect(end.stdout).toContain("2 cases: 1 passed, 1 failed");
  });

  test("judges on the day, or at the moment, that a case names", async () => {
    const here = place();
    const rule = "{ id: release, allow: 'git tag *', because: Soon., expires: 2027-01-31, between: '22:00-06:00 Europe/Berlin' }";
    const policy = writePolicy(here, "mine", `version: 1\nname: mine\nextends: supervised\ncommands: { rules: [${rule}] }\n`);
    const on = (day: string, said: string): string => `  - { command: git tag v2, on: ${day}, ${said} }\n`;
    writeFileSync(
      join(here.root, "mine.test.yaml"),
      `cases:\n${on("2027-01-31", "decision: allow, rule: release")}${on("2027-01-31T20:59:59Z", "decision: ask")}${on("2027-02-01", "decision: ask, rule: baseline-supervised-medium")}`,
    );
    expect(await warder(here, ["policy", "test", policy])).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("3 cases: 3 passed") });
  });

  test("comes to the same in every workspace, and looks at one that is named", async () => {
    const here = place();
    const policy = writePolicy(here, "mine", "version: 1\nname: mine\nextends: supervised\n");
    writeFileSync(join(here.root, "mine.test.yaml"), "cases:\n  - { read: notes, decision: allow }\n  - { command: npm test, decision: ask }\n");
    const counts = async (...options: readonly string[]): Promise<string | undefined> =>
      /\d+ passed, \d+ failed/u.exec((await warder(here, ["policy", "test", policy, ...options])).stdout)?.[0];
    expect(await counts()).toBe("2 passed, 0 failed");
    symlinkSync("/etc/shadow", join(here.workspace, "notes"));
    writeFileSync(join(here.workspace, "package.json"), JSON.stringify({ scripts: { test: "cat /etc/shadow" } }));
    expect(await counts()).toBe("2 passed, 0 failed");
    expect(await counts("--workspace", ".")).toBe("0 passed, 2 failed");
  });

  test.each([
    ["no suite", null, "There is no suite of tests"],
    ["no case", "cases: []\n", ":1:8: error: `cases` must not be empty: a suite that tests nothing would pass"],
    ["a misspelt key", "cases:\n  - { comand: ls, decision: allow, rule: x }\n", ":2:7: error: `cases.0.comand` is not a key of a suite of tests"],
    ["two questions", "cases:\n  - { command: ls, read: a, decision: allow, rule: x }\n", ":2:5: error: `cases.0` must have exactly one of command, read"],
    ["no host", "cases:\n  - { connect: 'https://x', decision: deny, rule: x }\n", "must be a host, or HOST:PORT"],
    ["no decision", "cases:\n  - { command: ls, rule: x }\n", "`cases.0.decision` must be one of: allow, ask, deny"],
  ])("%s is an error of the suite, and no success", async (_what, suite, message) => {
    expect(await tested(suite)).toMatchObject({ exitCode: 78, stdout: "", stderr: expect.stringContaining(message) });
  });
});
