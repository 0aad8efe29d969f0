import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeWithDocker } from "../support/docker.ts";
import { place } from "../support/test-place.ts";
import { warder } from "../support/warder-cli.ts";

const ECHO = ["exec", "--policy", "supervised", "--", "echo ran"];

describeWithDocker("a hostile or careless state directory runs nothing", () => {
  test.each([
    ["where no directory can be made", "/proc/nothing/state", /cannot be used: .*ENOENT/],
    ["a device", "/dev/null", /no directory/],
    ["relative", "relative/state", /absolute/],
  ])("%s", async (_name, state, message) => {
    const end = await warder(place(), ECHO, { environment: { WARDER_HOME: state } });
    expect(end.stderr).toMatch(message);
    expect(end.stdout).toBe("");
    expect(end.exitCode).not.toBe(0);
  });

  test("inside the workspace, also by way of a link, and nothing is made there", async () => {
    const here = place();
    symlinkSync(here.workspace, join(here.root, "link"));
    for (const state of [join(here.workspace, "state"), join(here.root, "link", "state")]) {
      const end = await warder(here, ECHO, { environment: { WARDER_HOME: state } });
      expect(end).toMatchObject({ exitCode: 78, stdout: "" });
      expect(readdirSync(here.workspace)).toEqual([]);
    }
  });

  test("around the workspace", async () => {
    const here = place();
    const inside = join(here.state, "runs", "workspace");
    mkdirSync(inside, { recursive: true });
    expect(await warder(here, [...ECHO.slice(0, 1), "--workspace", inside, ...ECHO.slice(1)])).toMatchObject({ exitCode: 78, stdout: "" });
  });

  test.each([
    [
      "without its key",
      (state: string) => {
        rmSync(join(state, "keys", "audit.key"));
      },
    ],
    [
      "without its head",
      (state: string) => {
        rmSync(join(state, "keys", "audit.head"));
      },
    ],
    [
      "without its database",
      (state: string) => {
        for (const name of readdirSync(state)) if (name.startsWith("warder.db")) rmSync(join(state, name));
      },
    ],
    [
      "with a key that others can read",
      (state: string) => {
        chmodSync(join(state, "keys", "audit.key"), 0o644);
      },
    ],
  ])("%s", async (_name, harm) => {
    const here = place();
    expect((await warder(here, ECHO)).exitCode).toBe(0);
    harm(here.state);
    const end = await warder(here, ECHO);
    expect(end).toMatchObject({ exitCode: 1, stdout: "" });
    expect(end.stderr).toMatch(/audit/);
  });
});

describeWithDocker("an output that cannot be written", () => {
  test.each([[[]], [["--json"]]])("ends the command with a message, and the log says how it ended %j", (options) => {
    const here = place();
    const bin = join(import.meta.dirname, "..", "..", "bin", "warder");
    const env = { ...process.env, HOME: here.home, WARDER_HOME: here.state };
    const words = ["exec", ...options, "--policy", "supervised", "--", "echo hi"].map((word) => `'${word}'`).join(" ");
    const end = spawnSync("sh", ["-c", `${bin} ${words} >/dev/full`], { cwd: here.workspace, env, encoding: "utf8" });
    expect(end.status).toBe(1);
    // Where the output is lost while the command still runs, it is cancelled, and that is said too.
    expect(end.stderr).toMatch(/^(?:warder: policy supervised .*\n)?warder: The output cannot be written: ENOSPC\.\n(?:warder: Cancelled: the command\.\n)?$/u);
    const tail = spawnSync(bin, ["audit", "tail", "--json"], { env, encoding: "utf8" });
    expect(tail.stdout).toMatch(/"kind":"outcome"/);
    expect(existsSync(join(here.state, "warder.db"))).toBe(true);
  });
});
