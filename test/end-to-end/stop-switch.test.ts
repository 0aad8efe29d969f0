import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { URI, type TOTP } from "otpauth";
import { describe, expect, test } from "vitest";
import { describeWithDocker } from "../support/docker.ts";
import { warderAtTerminal, type TerminalSession } from "../support/pseudo-terminal.ts";
import { movedClock } from "../support/moved-clock.ts";
import { openState } from "../support/open-state.ts";
import { insideRun } from "../support/inside-run.ts";
import { place } from "../support/test-place.ts";
import { exitCodeOf, until } from "../support/until.ts";
import { type Place, startWarder, warder, writePolicy } from "../support/warder-cli.ts";

function script(here: Place, command: string): string {
  const path = join(here.root, "script.yaml");
  writeFileSync(path, `protocol: anthropic\nturns:\n  - calls: [{ tool: shell, input: { command: ${JSON.stringify(command)} } }]\n  - say: "Done."\n`);
  return `scripted:${path}`;
}

type Run = { readonly id: string; readonly state: string; readonly task: string | null; readonly resumable: boolean };
type Runs = { readonly runs: readonly Run[]; readonly stop: { readonly scopes: readonly string[]; readonly fault: string | null } };
const runsOf = async (here: Place): Promise<Runs> => JSON.parse((await warder(here, ["runs", "--json"])).stdout) as Runs;

/** Waits until so many calls have begun. */
async function begun(here: Place, times: number): Promise<void> {
  const state = openState(here);
  await until(`${times} calls have begun`, () => state.permits() >= times);
}

async function confirm(terminal: TerminalSession, word: string): Promise<void> {
  await terminal.shows(new RegExp(`type: ${word}`, "u"));
  terminal.type(`${word}\r`);
}

async function start(here: Place, ...argv: readonly string[]): Promise<string> {
  const terminal = warderAtTerminal(here, ["start", ...argv]);
  await confirm(terminal, "start");
  expect(await terminal.ended).toBe(0);
  return terminal.screen();
}

describeWithDocker("the stop switch", () => {
  test("ends what runs in every process, lets nothing run, and is released only by a person at a terminal", async () => {
    const here = place();
    const policy = writePolicy(here, "long", "version: 1\nname: long\nextends: unattended\nsandbox: { command-timeout: 300s }\n");
    const commands = ["one", "two"].map((name) => startWarder(here, ["exec", "--policy", policy, "--json", "--", `echo ${name}; sleep 300`]));
    const run = startWarder(here, ["run", "--unattended", "--policy", policy, "--model", script(here, "sleep 300"), "Wait."]);
    const ended = [...commands, run].map((child) => exitCodeOf(child));
    await begun(here, 3);
    expect((await warder(here, ["stop"])).stdout).toContain("Stopped: everything");
    for (const exitCode of await Promise.all(ended)) expect(exitCode).not.toBe(0);

    const { runs, stop } = await runsOf(here);
    expect(stop).toMatchObject({ scopes: ["all"], fault: null });
    const waiting = runs.find(({ task }) => task === "Wait.");
    expect(waiting).toMatchObject({ state: "cancelled", resumable: false });
    const refused = await warder(here, ["exec", "--policy", "supervised", "--", "echo hi"]);
    expect(refused).toMatchObject({ exitCode: 3, stdout: "", stderr: expect.stringContaining("stop-switch") });
    for (const argv of [
      ["run", "--unattended", "--model", script(here, "echo hi"), "Go."],
      ["run", "--resume", waiting?.id ?? ""],
    ])
      expect(await warder(here, argv)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("The stop switch is engaged") });

    expect((await warder(here, ["start"], { input: "start\n" })).exitCode).toBe(2);
    expect((await warder(here, ["runs"])).stdout).toMatch(/^The stop switch is engaged: everything, by \w+@account/u);
    expect(await start(here)).toContain("Started: everything");
    expect(await warder(here, ["exec", "--policy", "supervised", "--", "echo hi"])).toMatchObject({ exitCode: 0, stdout: "hi\n" });
    expect((await warder(here, ["run", "--resume", waiting?.id ?? ""])).exitCode).toBe(0);
  });

  test("for one run ends that run alone", async () => {
    const here = place();
    const policy = writePolicy(here, "long", "version: 1\nname: long\nextends: unattended\nsandbox: { command-timeout: 300s }\n");
    const other = startWarder(here, ["exec", "--policy", policy, "--", "echo begun; until [ -e go ]; do sleep 0.1; done; echo went on"]);
    let said = "";
    other.stdout?.setEncoding("utf8").on("data", (text: string) => (said += text));
    const otherEnded = exitCodeOf(other);
    const run = startWarder(here, ["run", "--unattended", "--policy", policy, "--model", script(here, "sleep 300"), "Wait."]);
    const runEnded = exitCodeOf(run);
    await begun(here, 2);
    const id = (await runsOf(here)).runs.find(({ task }) => task === "Wait.")?.id ?? "";
    expect((await warder(here, ["stop", "--run", "run-none"])).exitCode).toBe(2);
    expect((await warder(here, ["stop", "--run", id])).exitCode).toBe(0);
    expect(await runEnded).toBe(130);
    expect(other.exitCode).toBeNull();
    // Into the view of the one run that goes on: `exec` keeps its changes apart.
    for (const { id: running, state } of (await runsOf(here)).runs) if (state === "running") insideRun(running, "touch", join(here.workspace, "go"));
    expect(await otherEnded).toBe(0);
    expect(said).toContain("went on");
    expect((await warder(here, ["run", "--resume", id])).stderr).toContain(`${id} is stopped by itself`);
    await start(here, "--run", id);
    expect((await runsOf(here)).stop.scopes).toEqual([]);
  });

  test("ends a run that waits for a person's yes, and a yes that comes later runs nothing", async () => {
    const here = place();
    const terminal = warderAtTerminal(here, ["run", "--policy", "supervised", "--model", script(here, "touch made"), "Make it."]);
    await terminal.shows(/Allow\?/u);
    expect((await warder(here, ["stop"])).exitCode).toBe(0);
    expect(await terminal.ended).not.toBe(0);
    const policy = writePolicy(here, "asking", "version: 1\nname: asking\nextends: unattended\ncommands: { effects: { deletes: ask } }\n");
    await start(here);
    writeFileSync(join(here.workspace, "old.txt"), "old");
    const parked = await warder(here, ["run", "--unattended", "--policy", policy, "--model", script(here, "rm old.txt"), "Make room."]);
    expect(parked.exitCode).toBe(4);
    const id = (await runsOf(here)).runs.find(({ state }) => state === "parked")?.id ?? "";
    const approval = /approval-\w+/u.exec((await warder(here, ["approvals", "list"])).stdout)?.[0] ?? "";
    expect((await warder(here, ["stop"])).exitCode).toBe(0);
    const answer = warderAtTerminal(here, ["approvals", "grant", approval]);
    await answer.shows(/Allow\?/u);
    answer.type("o\r");
    expect(await answer.ended).toBe(0);
    expect(await warder(here, ["run", "--resume", id])).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("The stop switch is engaged") });
    await start(here);
    expect((await warder(here, ["run", "--resume", id])).exitCode).toBe(0);
  });

  test("starts no job, and says so", async () => {
    const here = place();
    const adding = warderAtTerminal(here, [
      "schedule",
      "add",
      "often",
      "--cron",
      "* * * * *",
      "--catch-up",
      "once",
      "--model",
      script(here, "echo hi"),
      "--",
      "Go.",
    ]);
    await confirm(adding, "often");
    expect(await adding.ended).toBe(0);
    expect((await warder(here, ["stop"])).exitCode).toBe(0);
    const due = await warder(here, ["schedule", "run"]);
    expect(due).toMatchObject({ exitCode: 0 });
    expect(due.stdout + due.stderr).toContain("nothing is started: The stop switch is engaged");
    expect(await warder(here, ["schedule", "run", "often"])).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("The stop switch is engaged") });
    expect(JSON.parse((await warder(here, ["schedule", "history", "often", "--json"])).stdout)).toMatchObject({ ticks: [] });
    expect((await runsOf(here)).runs).toEqual([]);
  });
});

describe("releasing the stop switch", () => {
  test("wants the one-time code of an enrolled person, each code once, and a code to take the person away", async () => {
    const here = place();
    const enrolling = warderAtTerminal(here, ["approvals", "enroll", "ann"]);
    await confirm(enrolling, "enroll");
    const [uri] = await enrolling.shown(/otpauth:\S+/u);
    expect(await enrolling.ended).toBe(0);
    const totp = URI.parse(uri) as TOTP;
    // The clock of who takes a code is put back to where a period begins, just before it is typed: however slow the machine is, it counts.
    const clock = movedClock(here.root);
    const beginMs = Math.floor(Date.now() / 30_000) * 30_000 + 1_000;
    const typeCode = (terminal: TerminalSession, periods: number): void => {
      clock.moveTo(beginMs);
      terminal.type(`${totp.generate({ timestamp: beginMs + periods * 30_000 })}\r`);
    };
    expect((await warder(here, ["stop", "--network"])).exitCode).toBe(0);

    const wrong = warderAtTerminal(here, ["start", "--network"]);
    await confirm(wrong, "start");
    for (let round = 1; round <= 3; round += 1) {
      await wrong.shows(new RegExp(`(?:One-time code: [^]*){${round}}`, "u"));
      wrong.type("not-a-code\r");
    }
    expect(await wrong.ended).toBe(2);
    expect(wrong.screen()).toContain("The stop switch stays as it was.");
    expect((await runsOf(here)).stop.scopes).toEqual(["network"]);

    const right = warderAtTerminal(here, ["start", "--network"], clock.environment);
    await confirm(right, "start");
    await right.shows(/One-time code:/u);
    typeCode(right, 0);
    expect(await right.ended).toBe(0);
    expect((await runsOf(here)).stop.scopes).toEqual([]);
    expect((await warder(here, ["audit", "tail", "--kind", "stop", "--json"])).stdout).toContain("ann (one-time code)");

    expect((await warder(here, ["approvals", "unenroll", "ann"])).exitCode).toBe(2);
    expect((await warder(here, ["approvals", "unenroll", "bob"])).stderr).toContain("Nobody of the name bob is enrolled");
    const leaving = warderAtTerminal(here, ["approvals", "unenroll", "ann"], clock.environment);
    await confirm(leaving, "unenroll");
    await leaving.shows(/One-time code:/u);
    typeCode(leaving, 0);
    await leaving.shows(/Not taken: this code was used before/u);
    typeCode(leaving, 1);
    expect(await leaving.ended).toBe(0);
    expect((await warder(here, ["audit", "tail", "--kind", "approver-removed", "--json"])).stdout).toContain("ann");
    expect((await warder(here, ["stop"])).exitCode).toBe(0);
    expect(await start(here)).not.toContain("One-time code");
  });

  test("does nothing where somebody stopped anew while it was confirmed", async () => {
    const here = place();
    expect((await warder(here, ["stop"])).exitCode).toBe(0);
    const terminal = warderAtTerminal(here, ["start"]);
    await terminal.shows(/type: start/u);
    expect((await warder(here, ["stop"])).exitCode).toBe(0);
    terminal.type("start\r");
    expect(await terminal.ended).toBe(2);
    expect(terminal.screen()).toContain("It was stopped anew meanwhile");
    expect((await runsOf(here)).stop.scopes).toEqual(["all"]);
  });

  test("knows a tool by its other names, too", async () => {
    const here = place();
    expect((await warder(here, ["stop", "--tool", "bash", "execute_cmd"])).stdout).toBe(
      "Stopped: the tool shell, until a person says `warder start --tool shell` at a terminal.\n",
    );
    expect(await start(here, "--tool", "bash")).toContain("Started: the tool shell");
  });

  test("leaves what was stopped by itself, and says what is still stopped", async () => {
    const here = place();
    expect((await warder(here, ["stop", "--all", "--tool", "shell", "write_file"])).stdout).toContain("everything, the tool shell, the tool write_file");
    expect(await start(here)).toMatch(/Started: everything\.\r?\nThe stop switch is engaged: the tool shell, the tool write_file/u);
    expect((await warder(here, ["stop", "--tool", "shel"])).stdout).toContain("No tool of Warder's own has the name shel.");
    expect(await warder(here, ["start", "--network"])).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("is not engaged for the network") });
  });
});

describe("stopping where the database cannot be used", () => {
  test("a database that is none: everything is stopped by a file, and that is said", async () => {
    const here = place();
    mkdirSync(here.state, { recursive: true });
    chmodSync(here.state, 0o700);
    writeFileSync(join(here.state, "warder.db"), "this is no database, and long enough to look like one".repeat(100), { mode: 0o600 });
    const stopped = await warder(here, ["stop"]);
    expect(stopped.exitCode).toBe(1);
    expect(stopped.stderr).toMatch(/Everything is stopped, by the file \S+\/state\/stopped, because the database could not be opened/u);
  });
});
