import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { describeWithDocker } from "../support/docker.ts";
import { runsRootTests } from "../support/root.ts";
import { fillDisk, smallDisk } from "../support/small-disk.ts";
import { place } from "../support/test-place.ts";
import { exitCodeOf, until } from "../support/until.ts";
import { type Place, startWarder, warder } from "../support/warder-cli.ts";

const lines = (text: string): readonly Record<string, unknown>[] =>
  text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** Two records: the stop switch, engaged twice. */
async function stopTwice(here: Place): Promise<void> {
  await warder(here, ["stop"]);
  await warder(here, ["stop"]);
}

describe("the audit log on the command line", () => {
  test("is exported, archived, and still verifies against a checkpoint that was kept elsewhere", async () => {
    const here = place();
    await stopTwice(here);
    const kept = join(here.workspace, "kept.jsonl");
    expect(await warder(here, ["audit", "checkpoint", "--to", `file:${kept}`])).toMatchObject({ exitCode: 0, stdout: "" });
    expect(await warder(here, ["audit", "checkpoint", "--to", `command:/usr/bin/tee ${kept}.2`])).toMatchObject({ exitCode: 0 });
    expect(readFileSync(`${kept}.2`, "utf8")).toContain('"signature"');
    const exported = await warder(here, ["audit", "export", "--kind", "stop", "--since", "1h"]);
    expect(lines(exported.stdout)).toMatchObject([{ seq: 1, kind: "stop", state: "stopped" }, { seq: 2 }]);
    expect(lines((await warder(here, ["audit", "archive", "--before", "1ms", "--json"])).stdout)).toMatchObject([{ first: 1, last: 2 }]);
    await warder(here, ["stop"]);
    const verified = await warder(here, ["audit", "verify", "--checkpoints", kept]);
    expect(verified).toMatchObject({ exitCode: 0 });
    expect(verified.stdout).toContain("records 1 to 2: archived, and whole");
    writeFileSync(kept, readFileSync(kept, "utf8").replace('"seq":2', '"seq":3'));
    expect(await warder(here, ["audit", "verify", "--checkpoints", kept])).toMatchObject({ exitCode: 1 });
  });

  test("says that there is nothing to show, to a person alone", async () => {
    const here = place();
    const shown = async (...argv: readonly string[]): Promise<string> => (await warder(here, ["audit", "tail", ...argv])).stdout;
    expect(await shown()).toBe("No records yet.\n");
    await warder(here, ["stop"]);
    expect(await shown("--tool", "shell")).toBe("No record matches.\n");
    expect(await shown("--tool", "shell", "--json")).toBe("");
    expect(await shown()).toContain(" stop ");
  });

  test("is followed while others write it", async () => {
    const here = place();
    await warder(here, ["stop"]);
    const following = startWarder(here, ["audit", "tail", "--follow", "--json"]);
    let shown = "";
    following.stdout?.setEncoding("utf8").on("data", (text: string) => (shown += text));
    const shows = (count: number): Promise<void> => until(`${count} records`, () => lines(shown.slice(0, shown.lastIndexOf("\n") + 1)).length >= count);
    await shows(1);
    await stopTwice(here);
    await shows(3);
    following.kill("SIGINT");
    expect(await exitCodeOf(following)).toBe(130);
    expect(lines(shown).map(({ seq }) => seq)).toEqual([1, 2, 3]);
  });

  test.each([
    [["audit", "tail", "--since", "yesterday"], 2, "--since takes a moment"],
    [["audit", "tail", "--kind", "rulings"], 2, "--kind takes one of: policy-loaded, run-start,"],
    [["audit", "export", "--kind", "rulings"], 2, '; not "rulings".'],
    [["audit", "tail", "--limit", "1e2"], 2, "--limit takes a whole number from 1 to 100000"],
    [["audit", "archive", "--before", "2026-13-45"], 2, "--before takes a moment"],
    [["audit", "archive", "--older-than", "90x"], 2, '--older-than takes a duration (90d, 12h), not "90x"'],
    [["audit", "checkpoint", "--to", "file:relative"], 2, "is no place to send to. Write file:/ABSOLUTE/PATH"],
    [["audit", "checkpoint"], 2, "the audit log is empty"],
    [["audit", "verify", "--checkpoints", "/nowhere"], 2, "cannot be read"],
    [["audit", "export", "--output", "/nowhere/x"], 2, "cannot be written"],
  ] as const)("says what is wrong: %s", async (argv, exitCode, message) => {
    const refused = await warder(place(), argv);
    expect(refused.exitCode).toBe(exitCode);
    expect(refused.stderr.toLowerCase()).toContain(message.toLowerCase());
  });

  test.runIf(runsRootTests)("an export that the disk has no room for is said to be in pieces", async () => {
    const here = place();
    await stopTwice(here);
    const disk = smallDisk();
    fillDisk(join(disk, "full"));
    const failed = await warder(here, ["audit", "export", "--output", join(disk, "log.jsonl")]);
    expect(failed).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("is not whole") });
  });

  test("an anchor that does not take the checkpoint is an error", async () => {
    const here = place();
    await warder(here, ["stop"]);
    for (const anchor of ["command:/bin/false", "command:/nowhere/x", "file:/proc/x/y"]) {
      const failed = await warder(here, ["audit", "checkpoint", "--to", anchor]);
      expect(failed.exitCode, anchor).toBe(1);
      expect(failed.stderr).toMatch(/did not take|cannot be written/u);
    }
  });
});

describeWithDocker("the audit log of a run", () => {
  test("is anchored by itself as a run begins and ends, and does not run where the anchor takes nothing", async () => {
    const here = place();
    mkdirSync(here.state, { mode: 0o700 });
    const kept = join(here.root, "kept.jsonl");
    const settings = (anchor: string): void =>
      writeFileSync(join(here.state, "settings.yaml"), `version: 1\naudit: { anchor: "${anchor}" }\n`, { mode: 0o600 });
    settings(`file:${kept}`);
    expect(await warder(here, ["exec", "--policy", "unattended", "--", "echo one"])).toMatchObject({ exitCode: 0 });
    expect(lines(readFileSync(kept, "utf8"))).toHaveLength(2);
    expect(await warder(here, ["audit", "verify"])).toMatchObject({ exitCode: 0 });
    writeFileSync(kept, "");
    expect(await warder(here, ["audit", "verify"])).toMatchObject({ exitCode: 1, stdout: expect.stringContaining("is not there any more") as string });
    settings("command:/bin/false");
    const refused = await warder(here, ["exec", "--policy", "unattended", "--", "echo two > two"]);
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("nothing runs") as string });
    expect(existsSync(join(here.workspace, "two"))).toBe(false);
    settings("nowhere");
    expect(await warder(here, ["exec", "--policy", "unattended", "--", "echo three"])).toMatchObject({ exitCode: 78 });
  });
});
