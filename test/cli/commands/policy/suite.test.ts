import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { testPolicy } from "../../../../src/app/policy/suite.ts";
import { shippedNames } from "../../../../src/config/shipped-policies.ts";
import { place } from "../../../support/test-place.ts";
import { once, until } from "../../../support/until.ts";
import { type CliEnd, startWarder, warder, writePolicy } from "../../../support/warder-cli.ts";

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

test("warder policy schema prints what editors are given, of policies and of suites", async () => {
  const shipped = (name: string): string => readFileSync(new URL(`../../../../schemas/${name}.schema.json`, import.meta.url), "utf8");
  expect(await warder(place(), ["policy", "schema"])).toMatchObject({ exitCode: 0, stdout: shipped("policy") });
  expect(await warder(place(), ["policy", "schema", "--suite"])).toMatchObject({ exitCode: 0, stdout: shipped("suite") });
});

describe("warder policy test", () => {
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

  test("judges after so many uses of a rule as a case says, and a rule without a limit has none", async () => {
    const here = place();
    const rules = '[{ id: tags, allow: "git tag *", max: 3 per run, because: Few. }]';
    const policy = writePolicy(here, "few", `version: 1\nname: few\nextends: supervised\ncommands: { rules: ${rules} }\n`);
    const suite = (more: string): string => `cases:\n  - { command: git tag a, ${more} }\n`;
    const said = async (more: string): Promise<CliEnd> => {
      writeFileSync(join(here.root, "few.test.yaml"), suite(more));
      return await warder(here, ["policy", "test", policy]);
    };
    expect((await said("used: { tags: 2 }, decision: allow, rule: tags")).exitCode).toBe(0);
    expect((await said("used: { tags: 3 }, decision: ask")).exitCode).toBe(0);
    expect(await said("used: { tag: 3 }, decision: ask")).toMatchObject({ exitCode: 78, stderr: expect.stringContaining('names "tag"') as string });
  });

  test("judges calls in turn by what those before them left, each at its time", async () => {
    const here = place();
    const rules =
      '[{ id: tags, allow: "git tag *", max: 2 per run, because: Few. }, { id: soon, allow: "git commit -m *", expires: 2027-01-31, because: Soon. }]';
    const limits = "limits: { asks: { max: 2, per: 1h } }\n";
    const policy = writePolicy(here, "few", `version: 1\nname: few\nextends: supervised\ncommands: { rules: ${rules} }\n${limits}`);
    const call = (command: string, said: string): string => `      - { command: ${command}, ${said} }\n`;
    const suite = `cases:
  - on: 2027-01-31T22:00:00Z
    calls:
${call("git tag a", "decision: allow, rule: tags")}${call("git tag b", "decision: allow, rule: tags")}${call("git tag c", "decision: ask, answer: refused")}${call("git commit -m x", "after: 2h, decision: ask")}${call("git tag d", "decision: ask")}${call("git tag e", "decision: deny, rule: budget-asks")}${call("git tag f", "after: 61m, decision: ask")}
  - { command: git tag a, decision: allow, rule: tags }
  - calls: [{ command: git tag a, decision: allow }]
`;
    writeFileSync(join(here.root, "few.test.yaml"), suite);
    const { cases } = await testPolicy(policy);
    expect(cases).toHaveLength(9);
    expect(cases.filter(({ isMet }) => !isMet)).toEqual([]);
    writeFileSync(join(here.root, "few.test.yaml"), suite.replace("after: 2h", "after: 30m"));
    const earlier = (await testPolicy(policy)).cases.filter(({ isMet }) => !isMet);
    expect(earlier.map(({ test: { at, wanted }, verdict }) => [at.line, wanted.text, verdict.rules[0]?.id])).toEqual([[7, "git commit -m x", "soon"]]);
  });

  test("keeps what it leaves undecided, and fails where that differs", async () => {
    const here = place();
    const policy = writePolicy(here, "nightly", POLICY);
    writeFileSync(join(here.root, "nightly.test.yaml"), "cases:\n  - { command: git tag v1, decision: deny }\n  - { command: ls, decision: allow }\n");
    const taken = await warder(here, ["policy", "test", policy, "--snapshot"]);
    expect([taken.exitCode, taken.stdout]).toEqual([0, expect.stringMatching(/\nWritten: \/.*\/nightly\.undecided\.txt\n$/u)]);
    expect(readFileSync(join(here.root, "nightly.undecided.txt"), "utf8")).toBe("command ls: allow\n");
    expect((await warder(here, ["policy", "test", policy])).exitCode).toBe(0);
    writePolicy(here, "nightly", POLICY.replace("git tag **", "ls **"));
    writeFileSync(join(here.root, "nightly.test.yaml"), "cases:\n  - { command: git tag v1, decision: allow }\n  - { command: ls, decision: deny }\n");
    const end = await warder(here, ["policy", "test", policy]);
    expect(end.exitCode).toBe(1);
    for (const said of ["\ndecided now, and not in the snapshot: command ls: allow\n", "undecided now, and not in the snapshot: command git tag v1: allow\n"])
      expect(`\n${end.stdout}`).toContain(said);
    expect(end.stdout).toContain("2 cases: 2 passed");
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
    ["no suite", null, "`warder policy init` writes a first one beside a first policy."],
    ["no case", "cases: []\n", ":1:8: error: `cases` must not be empty: a suite that tests nothing would pass"],
    ["a misspelt key", "cases:\n  - { comand: ls, decision: allow, rule: x }\n", ":2:7: error: `cases.0.comand` is not a key of a suite of tests"],
    ["two questions", "cases:\n  - { command: ls, read: a, decision: allow, rule: x }\n", ":2:5: error: `cases.0` must have exactly one of command, read"],
    ["no host", "cases:\n  - { connect: 'https://x', decision: deny, rule: x }\n", "must be a host, or HOST:PORT"],
    [
      "calls that count themselves",
      "cases:\n  - { used: { a: 1 }, calls: [{ command: ls, decision: allow }] }\n",
      ":2:30: error: `cases.0.calls` have their own",
    ],
    [
      "an answer to no question",
      "cases:\n  - calls: [{ command: ls, decision: allow, answer: refused }]\n",
      ":2:53: error: `cases.0.calls.0.answer` answers a question",
    ],
    ["no decision", "cases:\n  - { command: ls, rule: x }\n", "`cases.0.decision` must be one of: allow, ask, deny"],
  ])("%s is an error of the suite, and no success", async (_what, suite, message) => {
    expect(await tested(suite)).toMatchObject({ exitCode: 78, stdout: "", stderr: expect.stringContaining(message) });
  });
});

describe("warder policy test --mutate", () => {
  const UNNOTICED: Readonly<Record<string, readonly string[]>> = {
    // Under its autonomy sudo is denied anyway; the suites of those on top of it notice.
    base: ["the effect privilege left out", "the effect privilege asks instead of denying"],
  };

  test.each(shippedNames())("the suite of the shipped policy %s passes, and notices each change of it", async (name) => {
    const report = await testPolicy(name, { isMutated: true });
    expect(report.cases.filter(({ isMet }) => !isMet)).toEqual([]);
    expect((report.mutants ?? []).filter(({ noticedBy }) => noticedBy === null).map(({ what, change }) => `${what} ${change}`)).toEqual(UNNOTICED[name] ?? []);
    expect(report.mutants).toBeDefined();
  });

  test("names the rule that nothing tests, writes a page that runs nothing, and fails", async () => {
    const here = place();
    const policy = writePolicy(here, "nightly", `${POLICY}workspace:\n  forbidden: [secret]\n`);
    writeFileSync(
      join(here.root, "nightly.test.yaml"),
      "cases:\n  - { command: npm publish, decision: deny, rule: no-publish }\n  - { command: '</pre><script>x</script>', decision: allow }\n",
    );
    const page = join(here.root, "report.html");
    const end = await warder(here, ["policy", "test", policy, "--mutate", "--html", page]);
    expect(end.exitCode).toBe(1);
    for (const said of [
      "unnoticed: the rule no-tags left out",
      "unnoticed: the rule no-tags asks instead of denying",
      "unnoticed: the forbidden path secret left out",
      "5 changes of the policy tried: 2 noticed",
    ])
      expect(end.stdout).toContain(said);
    expect(end.stdout).toContain(`\nWritten: ${page}\n`);
    const html = readFileSync(page, "utf8");
    expect(html).toContain("the rule no-tags left out");
    expect(html).not.toContain("<script>");
  });

  test("tries the changes of a policy that is named through a link, too", async () => {
    const here = place();
    writePolicy(here, "nightly", POLICY);
    writeFileSync(join(here.root, "nightly.test.yaml"), "cases:\n  - { command: npm publish, decision: deny }\n");
    symlinkSync(here.root, join(here.root, "link"));
    expect((await testPolicy(join(here.root, "link", "nightly.yaml"), { isMutated: true })).mutants).toHaveLength(4);
  });

  test("tries nothing while a case fails anyway", async () => {
    const end = await tested("cases:\n  - { command: ls, decision: deny }\n", "--mutate");
    expect(end.exitCode).toBe(1);
    expect(end.stdout).toContain("1 case: 0 passed, 1 failed");
    expect(end.stdout).toMatch(/\nNo change of the policy was tried: mend what failed first\.\n$/u);
  });
});

test("warder policy test --watch runs again after a change, says what cannot be read, and ends when it is told", async () => {
  const here = place();
  const policy = writePolicy(here, "nightly", POLICY);
  const suite = join(here.root, "nightly.test.yaml");
  writeFileSync(suite, "cases:\n  - { command: npm publish, decision: deny }\n");
  const child = startWarder(here, ["policy", "test", policy, "--watch"]);
  let said = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (said += text));
  const ended = once(child, "exit");
  const waits = async (times: number): Promise<void> =>
    await until(`it waits for the ${String(times)}. time`, () => said.split("waiting for a change").length > times, 60_000);
  await waits(1);
  writeFileSync(suite, "cases:\n  - { command: npm publish, decision: allow }\n");
  await waits(2);
  expect(said).toContain("0 passed, 1 failed");
  writeFileSync(suite, "cases: {");
  await until("it says what is wrong", () => said.includes("not valid YAML"), 60_000);
  child.kill("SIGINT");
  expect((await ended)[0]).toBe(0);
});
