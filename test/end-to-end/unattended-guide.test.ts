import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { parse } from "shell-quote";
import { expect, onTestFinished, test } from "vitest";
import { readCron } from "../../src/schedule/cron.ts";
import { describeWithDocker } from "../support/docker.ts";
import { readGuide, type GuidePart } from "../support/guide.ts";
import { movedClock, type MovedClock } from "../support/moved-clock.ts";
import { warderAtTerminal } from "../support/pseudo-terminal.ts";
import { exitCodeOf, until } from "../support/until.ts";
import { startWarder, warder, type Place } from "../support/warder-cli.ts";

const CHECKOUT = join(import.meta.dirname, "..", "..");
const PARTS = readGuide(readFileSync(join(CHECKOUT, "docs", "guides", "unattended.md"), "utf8"));
const MORNING_MS = 5 * 3_600_000;

/** One who follows the guide: in `~/night`, with the checkout in `~/warder` and the project in `~/project`. */
type Reader = { readonly place: Place; readonly clock: MovedClock; readonly names: Map<string, string>; crontab: string; daemon: ChildProcess | null };

function newReader(): Reader {
  const home = mkdtempSync(join(tmpdir(), "warder-guide-"));
  onTestFinished(() => {
    rmSync(home, { recursive: true, force: true });
  });
  const workspace = join(home, "night");
  for (const directory of [workspace, join(home, "project")]) mkdirSync(directory);
  for (const name of ["old.log", "drafts.txt"]) writeFileSync(join(home, "project", name), "old\n");
  symlinkSync(CHECKOUT, join(home, "warder"));
  // Where Warder keeps its state when nobody says another place: as cron finds it.
  const state = join(home, ".local", "state", "warder");
  return { place: { root: home, home, state, workspace }, clock: movedClock(home), names: new Map(), crontab: "", daemon: null };
}

type Run = { readonly id: string; readonly task: string; readonly parkedOn: string | null };
type Job = { readonly name: string; readonly nextAtMs: number; readonly last: { readonly state: string; readonly outcome: string | null } | null };

async function asked<T>({ place, clock }: Reader, ...argv: string[]): Promise<T> {
  return JSON.parse((await warder(place, [...argv, "--json"], { environment: clock.environment })).stdout) as T;
}

/** Runs a line of a crontab as cron(8) of Debian does: by `sh`, at home, with these variables and no others, and no terminal. Gives its exit code. */
async function runAsCron({ place }: Reader, line: string): Promise<number | null> {
  const [, moment = "", command = ""] = /^((?:\S+ +){4}\S+) +(.*)$/su.exec(line) ?? [];
  expect(readCron(moment, "UTC").next(0)).not.toBeNull();
  // A bare % would be the end of the line for cron.
  expect(command).not.toContain("%");
  const env = { HOME: place.home, LOGNAME: userInfo().username, PATH: "/usr/bin:/bin", SHELL: "/bin/sh" };
  const child = spawn("/bin/sh", ["-c", command], { cwd: place.home, env, stdio: "ignore", detached: true });
  return await exitCodeOf(child);
}

/** The night: cron's line at its time, and the daemon's clock at the moment of its jobs. */
async function night(reader: Reader): Promise<void> {
  expect(await runAsCron(reader, reader.crontab)).toBe(4);
  const { jobs } = await asked<{ jobs: readonly Job[] }>(reader, "schedule", "list");
  reader.clock.moveTo(Math.max(...jobs.map(({ nextAtMs }) => nextAtMs)) + 1_000);
  await until("the ends of both jobs", async () => {
    const now = await asked<{ jobs: readonly Job[] }>(reader, "schedule", "list");
    return now.jobs.every(({ last }) => last?.state === "ended" || last?.state === "parked");
  });
}

/** The morning: later, and every run has a name. */
async function morning(reader: Reader): Promise<void> {
  reader.clock.moveTo(reader.clock.nowMs() + MORNING_MS);
  const { runs } = await asked<{ runs: readonly Run[] }>(reader, "runs");
  expect(runs).toHaveLength(3);
  const words = { "Sweep the drafts.": "SWEEP", "Make room.": "TIDY", "Write the report.": "REPORT" };
  for (const [task, name] of Object.entries(words)) {
    const run = runs.find((one) => one.task === task);
    reader.names.set(`${name}_RUN`, run?.id ?? "").set(`${name}_APPROVAL`, run?.parkedOn ?? "");
  }
}

async function typeAtTerminal({ place, clock }: Reader, words: readonly string[], keys: string): Promise<void> {
  const terminal = warderAtTerminal(place, words, clock.environment);
  await terminal.shows(/Allow\? |> $/u);
  terminal.type(`${keys}\r`);
  expect([words, await terminal.ended]).toEqual([words, 0]);
}

async function follow(reader: Reader, { command, note }: Extract<GuidePart, { readonly kind: "command" }>): Promise<void> {
  const { place, clock } = reader;
  const [program, ...words] = parse(command, Object.fromEntries(reader.names)).map(String);
  const { typed, inTheEnd, pattern = "" } = /^(?:at a terminal: (?<typed>.*)|shows(?<inTheEnd> in the end)?: (?<pattern>.*))?/u.exec(note)?.groups ?? {};
  if (note === "in the background") {
    reader.daemon = startWarder(place, words, clock.environment);
    return;
  }
  if (typed !== undefined) return await typeAtTerminal(reader, words, typed);
  const shown = async (): Promise<string> => {
    if (program === "cat") return readFileSync(join(place.workspace, words[0] ?? ""), "utf8");
    const { exitCode, stdout } = await warder(place, words, { environment: clock.environment });
    expect([command, exitCode]).toEqual([command, 0]);
    return stdout;
  };
  if (inTheEnd !== undefined) await until(note, async () => new RegExp(pattern, "u").test(await shown()));
  expect(await shown()).toMatch(new RegExp(pattern, "u"));
}

describeWithDocker("the guide to unattended runs", () => {
  test("is a walk from the evening to the next day that can be walked as it stands", { timeout: 900_000 }, async () => {
    const reader = newReader();
    onTestFinished(() => {
      reader.daemon?.kill("SIGKILL");
    });
    for (const part of PARTS) {
      if (part.kind === "file") writeFileSync(join(reader.place.workspace, part.name), part.text);
      else if (part.kind === "crontab") reader.crontab = part.line;
      else if (part.kind === "command") await follow(reader, part);
      else if (part.text === "The night") await night(reader);
      else if (part.text === "The morning") await morning(reader);
    }
    const inProject = (name: string): string => readFileSync(join(reader.place.home, "project", name), "utf8");
    expect(inProject("report.txt")).toBe("All is well.");
    expect(inProject("drafts.count")).toBe("1 drafts.txt\n");
    for (const gone of ["drafts.txt", "old.log"]) expect(() => inProject(gone)).toThrow("ENOENT");
    const { daemon } = reader;
    expect(daemon?.kill("SIGTERM")).toBe(true);
    expect(await new Promise((resolve) => daemon?.on("close", resolve))).toBe(130);
  });
});
