import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { describeWithDocker } from "../support/docker.ts";
import { warderAtTerminal } from "../support/pseudo-terminal.ts";
import { makePlace, warder, writePolicy, type CliEnd, type Place } from "../support/warder-cli.ts";
import { runsRootTests } from "../support/root.ts";

const SCRIPT = 'protocol: openai\nturns:\n  - calls: [{ tool: shell, input: { command: "rm old.txt" } }]\n  - say: "Gone."\n';

/** A place whose state is on a disk of its own, of 256 MiB. */
function placeOnDisk(): Place {
  const made = makePlace();
  mkdirSync(made.state);
  expect(spawnSync("mount", ["-t", "tmpfs", "-o", "size=256m,mode=0700", "tmpfs", made.state]).status).toBe(0);
  onTestFinished(() => {
    spawnSync("umount", ["--lazy", made.state]);
    made.remove();
  });
  writeFileSync(join(made.workspace, "old.txt"), "old");
  return made;
}

async function typeAtTerminal(
  here: Place,
  argv: readonly string[],
  prompt: RegExp,
  keys: string,
): Promise<{ readonly exitCode: number | null; readonly screen: string }> {
  const terminal = warderAtTerminal(here, argv);
  await terminal.shows(prompt);
  terminal.type(`${keys}\r`);
  return { exitCode: await terminal.ended, screen: terminal.screen() };
}

/** A job whose run stops at a question. */
async function addJob(here: Place): Promise<void> {
  const policy = writePolicy(here, "nightly", "version: 1\nname: nightly\nextends: unattended\ncommands: { effects: { deletes: ask } }\n");
  writeFileSync(join(here.root, "script.yaml"), SCRIPT);
  const argv = ["schedule", "add", "nightly", "--cron", "@yearly", "--policy", policy, "--model", `scripted:${here.root}/script.yaml`, "--", "tidy", "up"];
  expect((await typeAtTerminal(here, argv, /type: nightly/u, "nightly")).exitCode).toBe(0);
}

type Run = { readonly id: string; readonly parkedOn: string | null };
const runsOf = async (here: Place): Promise<readonly Run[]> => (JSON.parse((await warder(here, ["runs", "--json"])).stdout) as { runs: readonly Run[] }).runs;
const lastOf = async (here: Place): Promise<unknown> =>
  (JSON.parse((await warder(here, ["schedule", "list", "--json"])).stdout) as { jobs: readonly { last: unknown }[] }).jobs[0]?.last;

const SLOW = { timeout: 900_000 };

describeWithDocker("jobs and approvals, with the state on a disk of its own", () => {
  describe.skipIf(!runsRootTests)("[needs root, to mount one]", () => {
    test("that is read-only: tick, list, history, resume and approval say so, and nothing is lost or done", SLOW, async () => {
      const here = placeOnDisk();
      await addJob(here);
      const mount = (mode: string): void => expect(spawnSync("mount", ["-o", `remount,${mode}`, here.state]).status).toBe(0);
      const refused: Partial<CliEnd> = { exitCode: 1, stderr: expect.stringMatching(/^warder: .*read-only/u) as string };
      mount("ro");
      for (const argv of [
        ["schedule", "run", "nightly"],
        ["schedule", "run"],
        ["schedule", "list"],
        ["schedule", "history", "nightly"],
        ["schedule", "daemon"],
      ])
        expect([argv, await warder(here, argv)]).toMatchObject([argv, refused]);
      mount("rw");
      expect(await runsOf(here)).toEqual([]);
      expect((await warder(here, ["schedule", "run", "nightly"])).exitCode).toBe(4);
      expect(await lastOf(here)).toMatchObject({ state: "parked" });
      const [run] = await runsOf(here);
      const [id, approval] = [run?.id ?? "", run?.parkedOn ?? ""];
      mount("ro");
      for (const argv of [
        ["run", "--resume", id],
        ["approvals", "grant", approval],
        ["approvals", "refuse", approval],
        ["changes", "apply", id],
      ])
        expect([argv, await warder(here, argv)]).toMatchObject([argv, refused]);
      mount("rw");
      expect((await typeAtTerminal(here, ["approvals", "grant", approval], /Allow\?/u, "o")).exitCode).toBe(0);
      expect((await warder(here, ["schedule", "run"])).stdout).toContain("ended: done");
      expect(await lastOf(here)).toMatchObject({ state: "ended", outcome: "done" });
      expect((await warder(here, ["audit", "verify"])).exitCode).toBe(0);
    });

    test("that is full: no tick starts, no yes counts, no run goes on, and all of it does with space again", SLOW, async () => {
      const here = placeOnDisk();
      await addJob(here);
      const ballast = join(here.state, "ballast");
      const fill = (): void => void spawnSync("sh", ["-c", 'cat /dev/zero > "$1" 2>/dev/null', "sh", ballast]);
      const full = expect.stringMatching(/disk is full|disk reported an error|no space/iu) as string;
      fill();
      expect(await warder(here, ["schedule", "run", "nightly"])).toMatchObject({ exitCode: 1, stderr: full });
      rmSync(ballast);
      expect((await warder(here, ["schedule", "run"])).exitCode).toBe(0);
      // Whether the claim was on disk or not: afterwards the moment has its one run.
      if ((await runsOf(here)).length === 0) await warder(here, ["schedule", "run", "nightly"]);
      expect(await lastOf(here)).toMatchObject({ state: "parked" });
      const [run, ...others] = await runsOf(here);
      expect(others).toEqual([]);
      const [id, approval] = [run?.id ?? "", run?.parkedOn ?? ""];
      fill();
      for (const argv of [
        ["approvals", "grant", approval],
        ["schedule", "history", "nightly"],
        ["run", "--resume", id],
      ])
        expect([argv, await warder(here, argv)]).toMatchObject([argv, { exitCode: 1, stderr: full }]);
      rmSync(ballast);
      expect((await warder(here, ["run", "--resume", id])).exitCode).toBe(4);
      expect((await typeAtTerminal(here, ["approvals", "grant", approval], /Allow\?/u, "o")).exitCode).toBe(0);
      fill();
      expect((await warder(here, ["run", "--resume", id])).exitCode).not.toBe(0);
      rmSync(ballast);
      const done = await warder(here, ["schedule", "run"]);
      expect(done).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("ended: done") });
      expect(existsSync(join(here.workspace, "old.txt"))).toBe(true);
      expect((await warder(here, ["changes", "list", id])).stdout).toContain("old.txt");
      expect((await warder(here, ["audit", "verify"])).exitCode).toBe(0);
    });
  });
});
