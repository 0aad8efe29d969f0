import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { describeWithDocker } from "../support/docker.ts";
import { insideRun } from "../support/inside-run.ts";
import { openState } from "../support/open-state.ts";
import { exitCodeOf, until } from "../support/until.ts";
import { makePlace, startWarder, warder, writePolicy } from "../support/warder-cli.ts";

const POLICY =
  "version: 1\nname: own\nextends: base\nautonomy: full\nworkspace: { roots: [{ path: ., access: read-write }] }\n" +
  "commands: { effects: { runs-code: allow, unknown: allow, undecidable: allow } }\n" +
  "sandbox: { runtime: docker, workspace: transactional, command-timeout: 30m, network: { allow: [] } }\n";

// How a workspace is mounted differs for a user who is not root (test/end-to-end/ordinary-user.test.ts).
describeWithDocker("two runs at once in one workspace", () => {
  test("see each their own changes alone; what lands first stands, and of the second what touches it waits", async () => {
    const here = makePlace();
    onTestFinished(() => here.remove());
    const policy = writePolicy(here, "own", POLICY);
    writeFileSync(join(here.home, ".gitconfig"), "[user]\n\tname = Ann\n\temail = ann@example.org\n[init]\n\tdefaultBranch = main\n");
    const env = { PATH: process.env["PATH"], HOME: here.home, GIT_CONFIG_NOSYSTEM: "1" };
    const git = (...argv: readonly string[]): string => execFileSync("git", argv, { cwd: here.workspace, encoding: "utf8", env }).trim();
    const shared = (): string => readFileSync(join(here.workspace, "shared.txt"), "utf8");
    writeFileSync(join(here.workspace, "shared.txt"), "old\n");
    git("init", "--quiet");
    git("add", ".");
    git("commit", "--quiet", "--message", "begun");

    /** Commits a file of its own, changes the shared one, and waits until the test lets it go on. */
    const start = async (name: string) => {
      const writes = `echo ${name} > ${name}.txt; git add ${name}.txt; git commit -qm ${name}; echo ${name} >> shared.txt; touch /tmp/written`;
      const command = `${writes}; until [ -e /tmp/go ]; do sleep 0.1; done; echo $(cat shared.txt ${name}.txt; git log --format=%s)`;
      const child = startWarder(here, ["exec", "--policy", policy, "--", `bash -ec "$(echo ${Buffer.from(command).toString("base64")} | base64 -d)"`]);
      const output = { stdout: "", stderr: "" };
      child.stdout?.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
      child.stderr?.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
      child.stdin?.end();
      const ended = exitCodeOf(child, () => `${output.stdout}\n${output.stderr}`);
      const hasEnded = (): boolean => child.exitCode !== null;
      // A look inside is dear: not before there is something to see.
      await until(`${name} and the other have begun`, () => hasEnded() || openState(here).permits() === 2);
      let run: string | undefined;
      await until(`${name} has written`, () => {
        run = readdirSync(join(here.state, "runs")).find((id) => insideRun(id, "cat", "/tmp/written", join(here.workspace, `${name}.txt`)) === `${name}\n`);
        return hasEnded() || run !== undefined;
      });
      if (run === undefined) throw new Error(`${name} ended: ${output.stdout}\n${output.stderr}`);
      const runId = run;
      return {
        runId,
        sees: (path: string): string | null => insideRun(runId, "cat", join(here.workspace, path)),
        end: async (): Promise<string> => {
          expect(insideRun(runId, "touch", "/tmp/go")).toBe("");
          expect([await ended, output.stderr]).toEqual([0, expect.any(String)]);
          return output.stdout;
        },
      };
    };
    const [one, two] = await Promise.all([start("one"), start("two")]);

    expect([one.sees("shared.txt"), one.sees("one.txt"), one.sees("two.txt")]).toEqual(["old\none\n", "one\n", null]);
    expect([two.sees("shared.txt"), two.sees("two.txt"), two.sees("one.txt")]).toEqual(["old\ntwo\n", "two\n", null]);
    expect([shared(), git("log", "--format=%s"), git("status", "--short")]).toEqual(["old\n", "begun", ""]);

    expect(await two.end()).toBe("old two two two begun\n");
    const changes = (verb: string, runId: string, ...argv: readonly string[]) => warder(here, ["changes", verb, runId, ...argv]);
    expect(await changes("apply", two.runId, "--checkout", "--yes")).toMatchObject({ exitCode: 0 });
    expect([shared(), git("log", "--format=%s")]).toEqual(["old\ntwo\n", "two\nbegun"]);

    expect(await one.end()).toBe("old one one one begun\n");
    const second = await changes("apply", one.runId, "--checkout", "--yes");
    expect(second.stdout).toMatch(/^left out +modified +shared\.txt.*Conflict: somebody changed it since the session began\. Theirs stays\.$/mu);
    expect(second.stdout).toMatch(/^left out +changed +\.git.*Conflict: refs\/heads\/main was moved since the session began\.$/mu);
    expect(second.exitCode).toBe(1);
    expect([shared(), git("log", "--format=%s")]).toEqual(["old\ntwo\n", "two\nbegun"]);
  });
});
