import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RunSummary } from "../../src/app/run/summary.ts";
import { describeWithDocker } from "../support/docker.ts";
import { place, script } from "../support/test-place.ts";
import { type CliEnd, type Place, warder } from "../support/warder-cli.ts";

const PLAY = `protocol: anthropic
turns:
  - calls: [{ tool: shell, input: { command: "echo one > one.txt" } }]
  - say: "One is made."
  - calls: [{ tool: shell, input: { command: "cat one.txt > two.txt; cat one.txt" } }]
  - { when: { result-contains: "one" }, say: "Two is made." }
  - calls: [{ tool: shell, input: { command: "echo three > three.txt; ls" } }]
  - { when: { result-contains: "two.txt" }, say: "Three is made." }
`;

type Line = { readonly kind: string; readonly runId: string; readonly summary?: RunSummary };

function linesOf(end: CliEnd): readonly Line[] {
  return end.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}

async function firstTask(): Promise<{ readonly here: Place; readonly run: string }> {
  const here = place();
  const end = await warder(here, ["run", "--unattended", "--json", "--model", script(here, PLAY), "Make one.txt."]);
  expect(end.exitCode, end.stderr).toBe(0);
  return { here, run: linesOf(end)[0]?.runId ?? "" };
}

describeWithDocker("a run that is over is asked for more", () => {
  test("and goes on with its conversation, its changes, its counts and its name; each task is in the log", async () => {
    const { here, run } = await firstTask();
    const end = await warder(here, ["run", "--json", "--continue", run, "Now make two.txt."]);
    expect(end.exitCode, end.stdout + end.stderr).toBe(0);
    const summary = linesOf(end).at(-1)?.summary;
    expect(summary).toMatchObject({ run, ending: "done", cost: { turns: 4 }, changes: { count: 2 } });
    expect(summary?.changes?.paths).toEqual(["one.txt", "two.txt"]);

    // What landed is there for the next task, and a task alone asks the newest run of the workspace.
    expect((await warder(here, ["changes", "apply", run, "--yes", "--checkout"])).exitCode).toBe(0);
    const third = await warder(here, ["run", "--json", "--continue", "And three.txt; token=sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789."]);
    expect(third.exitCode, third.stdout + third.stderr).toBe(0);
    expect(linesOf(third).at(-1)?.summary).toMatchObject({ run, cost: { turns: 6 }, changes: { paths: ["three.txt"] } });
    expect(readFileSync(join(here.workspace, "two.txt"), "utf8")).toBe("one\n");
    expect(existsSync(join(here.workspace, "three.txt"))).toBe(false);

    const log = (await warder(here, ["audit", "tail", "--run", run, "--kind", "run-resumed", "--json"])).stdout;
    expect(log).toContain('"was":"over"');
    expect(log).toContain('"task":"Now make two.txt."');
    expect(log).not.toContain("sk-ant-api03");
    const shown = await warder(here, ["runs", "show", run]);
    expect(shown.stdout).toContain("Now make two.txt.");
    expect((await warder(here, ["audit", "verify"])).exitCode).toBe(0);
  });

  test("never past the limits of the run, which count on", async () => {
    const here = place();
    const policy = join(here.root, "short.yaml");
    writeFileSync(policy, "version: 1\nname: short\nextends: unattended\nlimits: { run: { turns: 3 } }\n");
    const end = await warder(here, ["run", "--unattended", "--json", "--policy", policy, "--model", script(here, PLAY), "Make one.txt."]);
    expect(end.exitCode, end.stderr).toBe(0);
    const more = await warder(here, ["run", "--json", "--continue", "Now make two.txt."]);
    expect(linesOf(more).at(-1)?.summary).toMatchObject({ ending: "limit", cost: { turns: 3 } });
    expect(more.exitCode).not.toBe(0);
  });

  test("only by a task, and only when it is over", async () => {
    const { here, run } = await firstTask();
    for (const words of [
      ["--continue", run],
      ["--continue"],
      ["--continue", run, "--resume", run, "More."],
      ["--continue", run, "--workspace", ".", "More."],
      ["--continue", run, "--unattended", "More."],
      ["--continue", "run-none", "More."],
    ])
      expect((await warder(here, ["run", ...words])).exitCode, words.join(" ")).toBe(2);
    const resumed = await warder(here, ["run", "--resume", run]);
    expect(resumed.exitCode).toBe(2);
    expect(resumed.stderr).toContain(`warder run --continue ${run} TASK`);
    const elsewhere = await warder({ ...place(), state: here.state, home: here.home }, ["run", "--continue", "More."]);
    expect(elsewhere.stderr).toContain("can be continued");
  });
});
