import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { place } from "../support/test-place.ts";
import { warder, type Place } from "../support/warder-cli.ts";

const NO_ENGINE = { DOCKER_HOST: "unix:///nonexistent/docker.sock" };

/** Each gives the environment that makes one place unusable, also for root. */
const PLACES: Readonly<Record<string, (here: Place) => Readonly<Record<string, string>>>> = {
  "the temporary directory": ({ root }) => ({ TMPDIR: join(root, "none") }),
  "the state": ({ root }) => ({ WARDER_HOME: fileAt(join(root, "a-file")) }),
  "the home": ({ root }) => ({ WARDER_HOME: "", XDG_STATE_HOME: "", HOME: fileAt(join(root, "a-file")) }),
};

const COMMANDS: readonly (readonly string[])[] = [
  ["doctor"],
  ["check", "git status"],
  ["exec", "--policy", "unattended", "--", "ls"],
  ["runs"],
  ["audit", "verify"],
  ["budgets"],
  ["schedule", "list"],
  ["image", "list"],
  ["stop"],
];

function fileAt(path: string): string {
  writeFileSync(path, "");
  return path;
}

describe.concurrent.each(Object.entries(PLACES))("without %s no command ends in a stack trace", (_what, arrange) => {
  test.for(COMMANDS.map((argv) => ({ argv })))("$argv", async ({ argv }, { expect, onTestFinished }) => {
    const here = place(onTestFinished);
    const { stdout, stderr } = await warder(here, argv, { environment: { ...NO_ENGINE, ...arrange(here) } });
    expect(`${stdout}${stderr}`).not.toMatch(/internal fault|^ +at /mu);
  });
});

test("doctor says that it cannot make a temporary directory, and what to do", async () => {
  const here = place();
  const end = await warder(here, ["doctor"], { environment: { ...NO_ENGINE, TMPDIR: join(here.root, "none") } });
  expect(end.stdout.replaceAll(/\s+/gu, " ")).toMatch(/✗ sandbox of unattended No temporary directory can be made in .*none: ENOENT\. Make it writable/u);
  expect(end.exitCode).toBe(6);
});

test("a FIFO in the place of checkpoints is refused, and not waited for", async () => {
  const here = place();
  execFileSync("mkfifo", [join(here.root, "fifo")]);
  const end = await warder(here, ["audit", "verify", "--checkpoints", join(here.root, "fifo")]);
  expect(end.stderr).toContain("fifo is no regular file");
  expect(end.exitCode).toBe(2);
});
