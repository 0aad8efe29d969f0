import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { RunSummary } from "../../src/app/run/summary.ts";
import { describeWithDocker } from "../support/docker.ts";
import { makePlace, warder, writePolicy } from "../support/warder-cli.ts";

const SCRIPT = `protocol: anthropic
turns:
  - calls:
      - { tool: write_file, input: { path: "new.txt", content: "new" } }
      - { tool: shell, input: { command: "cat /etc/shadow" } }
      - { tool: shell, input: { command: "rm old.txt" } }
  - say: "Left it."
`;

describeWithDocker("an unattended run", () => {
  test("ends with one summary: as JSON on its last line while it waits, as text when it is over", async () => {
    const here = makePlace();
    onTestFinished(() => {
      here.remove();
    });
    writeFileSync(join(here.workspace, "old.txt"), "old");
    const script = join(here.root, "script.yaml");
    writeFileSync(script, SCRIPT);
    const policy = writePolicy(here, "nightly", "version: 1\nname: nightly\nextends: unattended\ncommands: { effects: { deletes: ask } }\n");
    const parked = await warder(here, ["run", "--unattended", "--json", "--policy", policy, "--model", `scripted:${script}`, "Make room."]);
    expect(parked).toMatchObject({ exitCode: 4, stderr: "" });
    const last = JSON.parse(parked.stdout.trim().split("\n").at(-1) ?? "") as { kind: string; summary: RunSummary };
    expect(last.kind).toBe("run-end");
    const { summary } = last;
    expect(summary).toMatchObject({
      ending: "parked",
      task: "Make room.",
      done: [{ tool: "write_file", what: "new.txt", outcome: "completed" }],
      refused: [{ tool: "shell", what: "cat /etc/shadow", rule: expect.stringContaining("forbidden-path") }],
      parked: { what: "rm old.txt", rule: expect.stringMatching(/^effect-deletes \(.*nightly\.yaml:4\)$/u) },
      asked: [{ what: "rm old.txt", answer: "waiting", wouldAnswer: "effects: { deletes: allow }" }],
      changes: { count: 1, paths: ["new.txt"], isForBranch: false },
      cost: { turns: 1 },
    });
    expect((await warder(here, ["approvals", "refuse", summary.parked?.approval ?? "", "--message", "keep it"])).exitCode).toBe(0);
    const over = await warder(here, ["run", "--resume", summary.run]);
    expect(over.exitCode).toBe(0);
    expect(over.stdout).toMatch(
      /Summary of run-\w+: done\nDone \(1\):\n {2}write_file new\.txt\nRefused \(2\):\n {2}shell cat \/etc\/shadow: forbidden-path.*\n {2}shell rm old\.txt: effect-deletes.*\nAsked \(1\):\n {2}shell rm old\.txt: refused by .*; the policy would have answered it with: effects: \{ deletes: allow \}\nChanged \(1\):\n {2}new\.txt\nCost: 2 turns, \d+ tokens.*\nReview: warder changes diff run-\w+, then warder changes apply run-\w+ \(or discard\)\n$/u,
    );
  });
});
