import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { describeWithDocker } from "../support/docker.ts";
import { movedClock } from "../support/moved-clock.ts";
import { openState } from "../support/open-state.ts";
import { warderAtTerminal } from "../support/pseudo-terminal.ts";
import { until } from "../support/until.ts";
import { place, script } from "../support/test-place.ts";
import { type Place, startWarder, warder, writePolicy } from "../support/warder-cli.ts";

const SAYS_DONE = 'protocol: openai\nturns:\n  - calls: [{ tool: shell, input: { command: "echo at-night" } }]\n  - say: "Done."\n';

async function addAtTerminal(here: Place, argv: readonly string[]): Promise<string> {
  const terminal = warderAtTerminal(here, ["schedule", "add", "nightly", ...argv]);
  await terminal.shows(/type: nightly/u);
  terminal.type("nightly\r");
  expect(await terminal.ended).toBe(0);
  return terminal.screen();
}

type Listed = {
  readonly jobs: readonly { readonly nextAtMs: number; readonly heldBecause: string | null; readonly last: Readonly<Record<string, unknown>> | null }[];
};
const listed = async (here: Place): Promise<Listed> => JSON.parse((await warder(here, ["schedule", "list", "--json"])).stdout) as Listed;

describeWithDocker("a job", () => {
  test("is added by a person, runs unattended, is told of, and is held when its policy changes", async () => {
    const here = place();
    const policy = writePolicy(
      here,
      "nightly",
      "version: 1\nname: nightly\nextends: unattended\ncommands: { effects: { messages: { verdict: deny, when: tainted } } }\n",
    );
    const told = join(here.root, "told.jsonl");
    // Half a day away: it does not become due while the test goes on.
    const hour = String((new Date().getUTCHours() + 12) % 24);
    const model = script(
      here,
      `protocol: openai
turns:
  - calls:
      - { tool: send_user_message, input: { text: "Half done." } }
      - { tool: shell, input: { command: "echo what somebody wrote" } }
      - { tool: cron_add, input: { name: weekly, cron: "@weekly", time_zone: UTC, task: "look at the tests" } }
      - { tool: cron_remove, input: { name: nightly } }
  - say: "Done."
`,
    );
    const screen = await addAtTerminal(here, [
      "--cron",
      `0 ${hour} * * *`,
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
    expect(screen).toMatch(new RegExp(`0 ${hour} \\* \\* \\* \\(Europe/Berlin\\), next \\d{4}-\\d\\d-\\d\\d ${hour.padStart(2, "0")}:00 GMT\\+\\d`, "u"));

    expect(await warder(here, ["schedule", "run"])).toMatchObject({ exitCode: 0, stdout: "" });
    const ran = await warder(here, ["schedule", "run", "nightly"]);
    expect(ran).toMatchObject({ exitCode: 0, stderr: "" });
    expect((await listed(here)).jobs).toMatchObject([{ last: { outcome: "done", state: "ended" } }, { name: "weekly", last: null }]);
    const lines = readFileSync(told, "utf8").trim().split("\n");
    expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
      { job: "nightly", kind: "said", text: "Half done." },
      { job: "nightly", kind: "ended", outcome: "done", summary: { messages: [{ text: "Half done." }] } },
    ]);
    const log = await warder(here, ["audit", "tail", "--json", "--limit", "100"]);
    expect(log.stdout).toContain('"kind":"schedule-tick"');

    // What its run proposed waits for a person, and runs for nobody before.
    expect((await warder(here, ["inbox"])).stdout).toMatch(/weekly: held: run-\w+ proposed it[^\n]*\n[^\n]*warder schedule confirm weekly/u);
    expect((await warder(here, ["schedule", "list"])).stdout).toMatch(
      /proposed it, and no person has confirmed it; look and confirm: warder schedule confirm weekly/u,
    );
    expect((await warder(here, ["schedule", "run", "weekly"])).exitCode).toBe(2);
    const proposed = warderAtTerminal(here, ["schedule", "confirm", "weekly"]);
    await proposed.shows(/type: weekly/u);
    expect(proposed.screen()).toMatch(/proposed +by run-\w+: a model wrote the task/u);
    expect(proposed.screen()).toMatch(/had read +untrusted: command echo what somebody wrote/u);
    proposed.type("weekly\r");
    expect(await proposed.ended).toBe(0);
    // Its run has read what the writer of its task had read.
    await warder(here, ["schedule", "run", "weekly"]);
    expect((await warder(here, ["audit", "tail", "--json", "--kind", "ruling"])).stdout).toContain("effect-messages-when-tainted");
    expect((await listed(here)).jobs[1]).toMatchObject({ name: "weekly", heldBecause: null, policy });

    writePolicy(here, "nightly", "version: 1\nname: nightly\nextends: unattended\ncommands: { rules: [{ id: mine, deny: 'make **', because: no }] }\n");
    const held = await warder(here, ["schedule", "run", "nightly"]);
    expect(held.exitCode).toBe(2);
    expect((await listed(here)).jobs[0]?.heldBecause).toContain("says something else");
    expect((await warder(here, ["schedule", "confirm", "nightly"], { input: "nightly\n" })).exitCode).toBe(2);
    const terminal = warderAtTerminal(here, ["schedule", "confirm", "nightly"]);
    await terminal.shows(/type: nightly/u);
    expect(terminal.screen()).toContain("id: mine, deny: make **");
    const { stdout: checked } = await warder(here, ["policy", "check", join(here.root, "nightly.yaml")]);
    expect(terminal.screen()).toContain(`nightly.yaml (${/digest (\w+)/u.exec(checked)?.[1]})`);
    terminal.type("nightly\r");
    expect(await terminal.ended).toBe(0);
    // What a person looks at is what they confirm, or nothing is.
    expect((await warder(here, ["schedule", "run", "weekly"])).exitCode).toBe(2);
    const late = warderAtTerminal(here, ["schedule", "confirm", "weekly"]);
    await late.shows(/type: weekly/u);
    await warder(here, ["schedule", "remove", "weekly"]);
    late.type("weekly\r");
    expect(await late.ended).toBe(2);
    expect(late.screen()).toContain("was changed while you looked at it");
    expect((await warder(here, ["audit", "verify"])).exitCode).toBe(0);
  });

  test("whose question a person answers for the job asks it in no later run, until the file that it runs is another, or the job is", async () => {
    const here = place();
    writeFileSync(join(here.workspace, "check.js"), 'console.log("fine");\n');
    const policy = writePolicy(
      here,
      "asking",
      'version: 1\nname: asking\nextends: base\nautonomy: supervised\nworkspace: { roots: [{ path: ".", access: read-write }] }\nunattended: { on-ask: park }\n',
    );
    const model = script(here, 'protocol: openai\nturns:\n  - calls: [{ tool: shell, input: { command: "node check.js" } }]\n  - say: "Done."\n');
    await addAtTerminal(here, ["--cron", "0 3 1 1 *", "--tz", "UTC", "--policy", policy, "--model", model, "--", "look"]);
    const runNow = async (...name: string[]): Promise<unknown> => {
      await warder(here, ["schedule", "run", ...name]);
      return (await listed(here)).jobs[0]?.last?.["outcome"];
    };
    expect(await runNow("nightly")).toBe("parked");
    const open = JSON.parse((await warder(here, ["approvals", "list", "--json"])).stdout) as { readonly approvals: readonly { readonly id: string }[] };
    const terminal = warderAtTerminal(here, ["approvals", "grant", open.approvals[0]?.id ?? ""]);
    await terminal.shows(/\[j\]ob: exactly this in each run of nightly[\s\S]*Allow\?/u);
    terminal.type("j");
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen()).toContain("for each run of the job nightly: exactly this");
    expect([await runNow(), await runNow("nightly")]).toEqual(["done", "done"]);
    expect((await warder(here, ["schedule", "list"])).stdout).toMatch(/granted for each of its runs: grant-\w+/u);
    expect((await warder(here, ["approvals", "grants"])).stdout).toMatch(
      /standing\n {2}exactly[^\n]*: node check\.js\n[\s\S]*in each run of the job nightly[^\n]*used 1 times/u,
    );
    writeFileSync(join(here.workspace, "check.js"), 'console.log("another");\n');
    expect(await runNow("nightly")).toBe("parked");
    expect((await warder(here, ["schedule", "remove", "nightly"])).exitCode).toBe(0);
    expect((await warder(here, ["approvals", "grants"])).stdout).toMatch(/^grant-\w+ {2}expired$/mu);
  });

  test.each(["SIGKILL", "SIGTERM"] as const)("whose daemon gets %s in mid-run goes on from its last step, and is not started anew", async (signal) => {
    const here = place();
    const clock = movedClock(here.root);
    const model = script(
      here,
      'protocol: openai\nturns:\n  - calls: [{ tool: shell, input: { command: "echo first >> log.txt" } }]\n  - calls: [{ tool: shell, input: { command: "sleep 300" } }]\n  - say: "Done."\n',
    );
    await addAtTerminal(here, ["--cron", "0 3 * * *", "--tz", "UTC", "--model", model, "--", "work"]);
    clock.moveTo((await listed(here)).jobs[0]?.nextAtMs ?? 0);
    const daemon = startWarder(here, ["schedule", "daemon"], clock.environment);
    const database = openState(here);
    await until("the second command begins", () => database.permits("sleep 300") === 1);
    process.kill(signal === "SIGKILL" ? -(daemon.pid ?? 0) : (daemon.pid ?? 0), signal);
    await until("the daemon is gone", () => daemon.exitCode !== null || daemon.signalCode !== null);
    const again = await warder(here, ["schedule", "run"], { environment: clock.environment });
    expect(again).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("goes on with run-") });
    expect(database.permits("echo first")).toBe(1);
    expect(database.runs("work")).toBe(1);
    expect((await listed(here)).jobs[0]?.last).toMatchObject({ state: "ended", outcome: "done", attempt: 1 });
  });

  test("tells a program of its end, with the summary, on standard input, and none that the agent could have made", async () => {
    const here = place();
    const model = script(here, SAYS_DONE);
    const told = join(here.root, "told.json");
    const hook = join(here.root, "tell-me");
    writeFileSync(hook, `#!/bin/sh\nexec cat > ${told}\n`, { mode: 0o755 });
    await addAtTerminal(here, ["--cron", "@yearly", "--model", model, "--notify", `command:${hook}`, "--", "tidy", "up"]);
    expect((await warder(here, ["schedule", "run", "nightly"])).exitCode).toBe(0);
    const news = JSON.parse(readFileSync(told, "utf8")) as { summary: unknown };
    expect(news).toMatchObject({ job: "nightly", kind: "ended", outcome: "done", nextAtMs: null });
    expect(news.summary).toMatchObject({
      ending: "done",
      task: "tidy up",
      done: [{ what: "echo at-night" }],
      refused: [],
      parked: null,
      asked: [],
      cost: { turns: 2 },
    });

    // What was outside when the job was added must be there when it is told.
    const planted = join(here.workspace, "planted");
    writeFileSync(planted, `#!/bin/sh\ntouch ${here.root}/hacked\n`, { mode: 0o755 });
    rmSync(hook);
    symlinkSync(planted, hook);
    const again = await warder(here, ["schedule", "run", "nightly"]);
    expect(again.stdout).toMatch(/nightly: command:\S+ could not be told .*it lies where the agent may write/u);
    expect(existsSync(join(here.root, "hacked"))).toBe(false);
  });
});

describe("a job that cannot be", () => {
  const ADD = ["schedule", "add", "nightly", "--model", "scripted:none"];
  test("is refused with the reason, and nothing is added", async () => {
    const here = place();
    const cases = [
      [["schedule", "add", "Nightly!", "--cron", "0 3 * * *", "--model", "scripted:none", "--", "x"], "no name for a job"],
      [[...ADD, "--cron", "0 3 * * *", "--deadline", "soon", "--", "x"], "--deadline takes a duration"],
      [[...ADD, "--cron", "0 3 * * *", "--retries", "many", "--", "x"], "--retries takes a whole number"],
      [[...ADD, "--cron", "0 3 * * *", "--notify", "mail:ann", "--", "x"], "is no place to send to"],
      [["schedule", "run", "--jobs", "0"], "--jobs takes a whole number from 1 to 64"],
      [[...ADD, "--cron", "0 3 * * *", "--", "x"], "A person at a terminal has to confirm"],
      [["schedule", "remove", "nightly"], "There is no job nightly"],
      [["schedule", "run", "nightly"], "There is no job nightly"],
      [["schedule", "confirm", "nightly"], "There is no job nightly"],
    ] as const;
    for (const [argv, message] of cases) expect(await warder(here, argv)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(message) });
    expect((await listed(here)).jobs).toEqual([]);
  });
});
