import { describe, expect, test } from "vitest";
import { callLog } from "../../../support/call-log.ts";
import { place } from "../../../support/test-place.ts";
import { warder, writePolicy } from "../../../support/warder-cli.ts";

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
});
