import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { EXIT } from "../../src/cli/process/exit-code.ts";

const CHECKOUT = join(import.meta.dirname, "..", "..");
const example = (name: string): string => readFileSync(join(CHECKOUT, "examples", "schedules", name), "utf8");
const lines = (text: string): readonly string[] => text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));

/** A home with the checkout in `~/warder` and the key's file, as both examples want it. */
function home(): string {
  const directory = mkdtempSync(join(tmpdir(), "warder-example-"));
  onTestFinished(() => {
    rmSync(directory, { recursive: true, force: true });
  });
  symlinkSync(CHECKOUT, join(directory, "warder"));
  for (const path of [".config/warder", ".local/state"]) mkdirSync(join(directory, path), { recursive: true });
  writeFileSync(join(directory, ".config/warder/schedule.env"), "ANTHROPIC_API_KEY=none\n");
  return directory;
}

const run = promisify(execFile);

test("the crontab line asks what is due, with cron's bare environment", async () => {
  const [line = "", ...more] = lines(example("crontab"));
  expect(more).toEqual([]);
  expect(line).toMatch(/^\* \* \* \* \* {2}/u);
  const here = home();
  const env = { HOME: here, LOGNAME: userInfo().username, PATH: "/usr/bin:/bin", SHELL: "/bin/sh" };
  await run("/bin/sh", ["-c", line.slice("* * * * *".length)], { cwd: here, env });
  expect(readFileSync(join(here, ".local/state/warder-schedule.log"), "utf8")).toBe("");
  expect(existsSync(join(here, ".local/state/warder/warder.db"))).toBe(true);
});

test("the unit of systemd starts the daemon, confined, and takes its end for what it is", async () => {
  const unit = lines(example("warder-schedule.service"));
  const of = (key: string): readonly string[] => unit.flatMap((line) => (line.startsWith(`${key}=`) ? [line.slice(key.length + 1)] : []));
  const [start = ""] = of("ExecStart");
  const [program = "", ...words] = start.replaceAll("%h", home()).split(" ");
  expect(words).toEqual(["schedule", "daemon"]);
  const { stdout } = await run(program, [...words, "--help"]);
  expect(stdout).toContain("Usage: warder schedule daemon");
  expect(of("SuccessExitStatus")).toEqual([String(EXIT.interrupted)]);
  expect(of("KillSignal")).toEqual(["SIGTERM"]);
  expect(of("Restart")).toEqual(["on-failure"]);
  const confinement = ["NoNewPrivileges", "LockPersonality", "RestrictRealtime", "RestrictSUIDSGID"];
  for (const key of confinement) expect([key, of(key)]).toEqual([key, ["yes"]]);
  expect(of("UMask")).toEqual(["0077"]);
  expect(of("LimitCORE")).toEqual(["0"]);
});
