import { describe, expect, test } from "vitest";
import { callLog } from "../../../support/call-log.ts";
import { diffCommand } from "../../../../src/cli/commands/policy/diff.ts";
import { otherWarder } from "../../../support/programs/other-warder.ts";
import { place } from "../../../support/test-place.ts";
import { WARDER, warder, writePolicy } from "../../../support/warder-cli.ts";

const rules = (...lines: readonly string[]): string =>
  `version: 1\nname: own\nextends: supervised\ncommands:\n  rules:\n${lines.map((line) => `    - { ${line}, because: Why. }\n`).join("")}`;
const COMMIT = `id: commit, allow: "git commit -m *"`;
const FORCE = `id: no-force, deny: "git push --force **"`;

describe("warder policy diff", () => {
  test("tells what widens with a command that shows it, and ends with 11", async () => {
    const here = place();
    const [before, after] = [writePolicy(here, "before", rules(COMMIT)), writePolicy(here, "after", rules(`id: commit, allow: "git commit **"`))];
    const end = await warder(here, ["policy", "diff", before, after]);
    expect(end).toMatchObject({ exitCode: 11, stderr: "" });
    expect(end.stdout).toMatch(/No longer asked \(1\)\n {2}! rule commit: allow `git commit -m \*` → allow `git commit \*\*`/u);
    expect(end.stdout).toContain("git commit");
    expect(end.stdout.split("\n").filter((line) => line.length > 80 && !line.includes(here.root))).toEqual([]);
  });

  test("ends with 10 for what only tightens, in JSON too", async () => {
    const here = place();
    const [before, after] = [writePolicy(here, "before", rules(COMMIT)), writePolicy(here, "after", rules(COMMIT, FORCE))];
    const end = await warder(here, ["policy", "diff", before, after, "--json"]);
    expect(end).toMatchObject({ exitCode: 10, stderr: "" });
    expect(JSON.parse(end.stdout)).toMatchObject({ outcome: "only-tightens", differences: [{ direction: "tightens", part: { what: "rule no-force" } }] });
  });

  test("counts the calls of the log that lie in it", async () => {
    const { here } = callLog([[{ command: "git $x" }, { verdict: "ask" }], [{ command: "ls" }]]);
    const [before, after] = [writePolicy(here, "before", rules(COMMIT)), writePolicy(here, "after", rules(COMMIT, FORCE))];
    const end = await warder(here, ["policy", "diff", before, after, "--log", "3650d"]);
    expect(end).toMatchObject({ exitCode: 10, stderr: "" });
    expect(end.stdout).toContain("\n        in the log: 1 call\n");
    expect(end.stdout).toContain("\n2 calls of the audit log compared\n");
  });

  test("says what another Warder decides otherwise, with a command that both decided", async () => {
    const here = place();
    const other = otherWarder(here.root, { "tac : read* gnu inert | -b,--before -r,--regex": "tac : read* gnu inert | -b,--before" });
    const end = await warder(here, ["policy", "diff", "--from-warder", other, "supervised"]);
    expect(end).toMatchObject({ exitCode: 11, stderr: "" });
    expect(end.stdout).toContain(
      "\nNo longer asked (1)\n  ! program tac\n      tac -r\n        ask baseline-supervised-high → allow baseline-supervised-low\n",
    );
    expect(end.stdout).toContain("\nMay widen (1)\n  ? what is read by code and not by tables\n");
  });

  test.each([
    ["a second policy", "b", {}],
    ["--staged", undefined, { staged: true }],
    ["--log", undefined, { log: "30d" }],
  ])("compares two Warders under one policy: without %s", async (_what, second, options) => {
    await expect(diffCommand("a", second, { ...options, fromWarder: "/nowhere/warder", version: "0.0.0" })).rejects.toMatchObject({
      code: "usage",
      message: expect.stringContaining("compares two Warders under one policy"),
    });
  });

  test("says of this very Warder that it decides the same", async () => {
    const here = place();
    const end = await warder(here, ["policy", "diff", "--from-warder", WARDER, "unattended", "--json"]);
    expect(end).toMatchObject({ exitCode: 0, stderr: "" });
    expect(JSON.parse(end.stdout)).toMatchObject({ outcome: "same", before: { warder: WARDER }, differences: [] });
  });
});
