import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { describeWithDocker } from "../support/docker.ts";
import { warderAtTerminal } from "../support/pseudo-terminal.ts";
import { makePlace, startWarder, warder, writePolicy, type Place } from "../support/warder-cli.ts";

function place(): Place {
  const made = makePlace();
  onTestFinished(() => {
    made.remove();
  });
  return made;
}

function script(here: Place, text: string): string {
  const path = join(here.root, "script.yaml");
  writeFileSync(path, text);
  return `scripted:${path}`;
}

const SAYS_DONE = 'protocol: openai\nturns:\n  - calls: [{ tool: shell, input: { command: "echo at-night" } }]\n  - say: "Done."\n';

async function addAtTerminal(here: Place, argv: readonly string[]): Promise<string> {
  const terminal = warderAtTerminal(here, ["schedule", "add", "nightly", ...argv]);
  await terminal.shows(/type: nightly/u);
  terminal.type("nightly\r");
  expect(await terminal.ended).toBe(0);
  return terminal.screen();
}

type Listed = { readonly jobs: readonly { readonly heldBecause: string | null; readonly last: { readonly outcome: string; readonly state: string } | null }[] };
const listed = async (here: Place): Promise<Listed> => JSON.parse((await warder(here, ["schedule", "list", "--json"])).stdout) as Listed;

describeWithDocker("a job", () => {
  test("is added by a person, runs unattended, is told of, and is held when its policy changes", async () => {
    const here = place();
    const policy = writePolicy(here, "nightly", "version: 1\nname: nightly\nextends: unattended\n");
    const told = join(here.root, "told.jsonl");
    const model = script(here, SAYS_DONE);
    const screen = await addAtTerminal(here, [
      "--cron",
      "0 3 * * *",
      "--tz",
      "Europe/Berlin",
      "--policy",
      policy,
      "--model",
      model,
      "--notify",
      `file:${told}`,
      "--",
      "tidy",
      "up",
    ]);
    expect(screen).toMatch(/task +tidy up/u);
    expect(screen).toMatch(/0 3 \* \* \* \(Europe\/Berlin\), next \d{4}-\d\d-\d\d 03:00 GMT\+\d/u);

    expect(await warder(here, ["schedule", "run"])).toMatchObject({ exitCode: 0, stdout: "" });
    const ran = await warder(here, ["schedule", "run", "nightly"]);
    expect(ran).toMatchObject({ exitCode: 0, stderr: "" });
    expect((await listed(here)).jobs).toMatchObject([{ last: { outcome: "done", state: "ended" } }]);
    expect(JSON.parse(readFileSync(told, "utf8"))).toMatchObject({ job: "nightly", kind: "ended", outcome: "done" });
    const log = await warder(here, ["audit", "tail", "--json", "--limit", "100"]);
    expect(log.stdout).toContain('"kind":"schedule-tick"');

    writePolicy(here, "nightly", "version: 1\nname: nightly\nextends: unattended\ncommands: { rules: [{ id: mine, deny: 'make **', because: no }] }\n");
    const held = await warder(here, ["schedule", "run", "nightly"]);
    expect(held.exitCode).toBe(2);
    expect((await listed(here)).jobs[0]?.heldBecause).toContain("says something else");
    expect((await warder(here, ["schedule", "confirm", "nightly"], { input: "nightly\n" })).exitCode).toBe(2);
    const terminal = warderAtTerminal(here, ["schedule", "confirm", "nightly"]);
    await terminal.shows(/type: nightly/u);
    expect(terminal.screen()).toContain("mine: deny make **");
    terminal.type("nightly\r");
    expect(await terminal.ended).toBe(0);
    expect((await warder(here, ["schedule", "run", "nightly"])).exitCode).toBe(0);
    expect((await warder(here, ["audit", "verify"])).exitCode).toBe(0);
  });

  test("whose daemon is killed in mid-run goes on from its last step, and is not started anew", async () => {
    const here = place();
    const model = script(
      here,
      'protocol: openai\nturns:\n  - calls: [{ tool: shell, input: { command: "echo first >> log.txt" } }]\n  - calls: [{ tool: shell, input: { command: "sleep 60" } }]\n  - say: "Done."\n',
    );
    await addAtTerminal(here, ["--cron", "* * * * *", "--policy", "unattended", "--model", model, "--", "work"]);
    const running = startWarder(here, ["schedule", "run", "nightly"]);
    const sleeps = async (): Promise<boolean> => (await warder(here, ["audit", "tail", "--json", "--kind", "permit-spent"])).stdout.includes("sleep 60");
    for (let round = 0; round < 100 && !(await sleeps()); round += 1) await new Promise((resolve) => setTimeout(resolve, 100));
    process.kill(-(running.pid ?? 0), "SIGKILL");
    await new Promise((resolve) => running.on("close", resolve));
    const again = await warder(here, ["schedule", "run"]);
    expect(again.stdout).toContain("goes on with run-");
    const runs = JSON.parse((await warder(here, ["runs", "--json"])).stdout) as { runs: { task: string; state: string }[] };
    expect(runs.runs.filter(({ task }) => task === "work").length).toBeLessThanOrEqual(2);
    const ticks = JSON.parse((await warder(here, ["schedule", "history", "nightly", "--json"])).stdout) as {
      ticks: { outcome: string | null; attempt: number }[];
    };
    expect(ticks.ticks.at(-1)).toMatchObject({ outcome: "done", attempt: 1 });
  });
});

describe("a job that cannot be", () => {
  const ADD = ["schedule", "add", "nightly", "--model", "scripted:none"];
  test.each([
    [["schedule", "add", "Nightly!", "--cron", "0 3 * * *", "--model", "scripted:none", "--", "x"], "no name for a job"],
    [[...ADD, "--cron", "0 3 * *", "--", "x"], "4 fields"],
    [[...ADD, "--cron", "0 0 30 2 *", "--", "x"], "never due"],
    [[...ADD, "--cron", "0 3 * * *", "--tz", "Mars", "--", "x"], "no time zone"],
    [[...ADD, "--cron", "*/5 * * * *", "--jitter", "5m", "--", "x"], "jitter must be shorter"],
    [[...ADD, "--cron", "0 3 * * *", "--deadline", "soon", "--", "x"], "--deadline takes a duration"],
    [[...ADD, "--cron", "0 3 * * *", "--retries", "many", "--", "x"], "--retries takes a whole number"],
    [[...ADD, "--cron", "0 3 * * *", "--workspace", "/nowhere", "--", "x"], "/nowhere cannot be used"],
    [[...ADD, "--cron", "0 3 * * *", "--", "x"], "A person at a terminal has to confirm"],
    [["schedule", "remove", "nightly"], "There is no job nightly"],
    [["schedule", "run", "nightly"], "There is no job nightly"],
    [["schedule", "confirm", "nightly"], "There is no job nightly"],
  ] as const)("%s", async (argv, message) => {
    const here = place();
    const refused = await warder(here, argv);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain(message);
    expect((await listed(here)).jobs).toEqual([]);
  });
});
