import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { bubblewrapRuntime } from "../../src/sandbox/bubblewrap/runtime.ts";
import { describeWithDocker } from "../support/docker.ts";
import { rounds } from "../support/extent.ts";
import { makePlace, type Place, warder, writePolicy } from "../support/warder-cli.ts";

const EXTENDS_UNATTENDED = "version: 1\nname: short\nextends: unattended\nsandbox:\n  command-timeout: 2s\n  output: 64KiB\n";

describeWithDocker("warder exec", () => {
  let place: ReturnType<typeof makePlace>;
  beforeEach(() => {
    place = makePlace();
  });
  afterEach(() => {
    place.remove();
  });

  const containersOf = (run: string): string =>
    execFileSync("docker", ["ps", "--all", "--quiet", "--filter", `label=warder.run=${run}`], { encoding: "utf8" }).trim();
  const mountsOf = (run: string): string[] =>
    readFileSync("/proc/self/mountinfo", "utf8")
      .split("\n")
      .filter((line) => line.includes(run));

  test("prints what an allowed command prints", async () => {
    const end = await warder(place, ["exec", "--policy", "supervised", "--", "echo hi"]);
    expect(end).toMatchObject({ exitCode: 0, stdout: "hi\n" });
  });

  test("leaves the words of a program as they are, and is listed by its command", async () => {
    const words = ["bash", "-c", 'printf "%s|" "$0" "$@"', "a b", "*", "$HOME"];
    expect(await warder(place, ["exec", "--policy", "unattended", "--", ...words])).toMatchObject({ exitCode: 0, stdout: "a b|*|$HOME|" });
    expect((await warder(place, ["runs"])).stdout).toContain(`bash -c 'printf "%s|" "$0" "$@"' 'a b' '*' '$HOME'`);
  });

  test("runs where the state lies behind a link, and keeps that from a command by either name", async () => {
    symlinkSync(place.root, `${place.root}-link`);
    try {
      const behind: Place = { ...place, state: `${place.root}-link/state` };
      const run = async (command: string) => await warder(behind, ["exec", "--policy", "unattended", "--json", "--", command]);
      expect(await run("echo hi")).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('"stdout":"hi\\n"') });
      for (const state of [behind.state, place.state])
        expect(await run(`cat ${state}/keys/audit.key`)).toMatchObject({ exitCode: 3, stdout: expect.stringContaining('"id":"own-state"') });
    } finally {
      rmSync(`${place.root}-link`);
    }
  });

  test("takes no policy from the workspace of an earlier run unconfirmed, for another workspace either", async () => {
    const policy = `${place.workspace}/mine.yaml`;
    const check = async () => await warder(place, ["check", "--policy", policy, "--workspace", place.home, "ls"]);
    writeFileSync(policy, "version: 1\nname: mine\nextends: base\nautonomy: full\n");
    const before = await check();
    expect(before.stderr).not.toContain("nobody has confirmed");
    expect(await warder(place, ["exec", "--policy", "unattended", "--", "true"])).toMatchObject({ exitCode: 0 });
    expect(await check()).toMatchObject({ exitCode: 78, stderr: expect.stringContaining("nobody has confirmed this text") });
  });

  test("refuses a forbidden path by its rule, and runs nothing", async () => {
    const end = await warder(place, ["exec", "--policy", "supervised", "--json", "--", "cat /etc/shadow"]);
    expect(end.exitCode).toBe(3);
    const report = JSON.parse(end.stdout) as { ruling: { decision: { rules: { id: string }[] } }; outcome: { kind: string; stdout: string } };
    expect(report.ruling.decision.rules[0]?.id).toBe("forbidden-path");
    expect(report.outcome).toMatchObject({ kind: "denied", stdout: "" });
  });

  test("an ask without a terminal is refused, and says that nobody was asked", async () => {
    const end = await warder(place, ["exec", "--policy", "supervised", "--", "touch new-file"]);
    expect(end.exitCode).toBe(3);
    expect(end.stderr).toMatch(/nobody/i);
    expect(readdirSync(place.workspace)).toEqual([]);
  });

  test("commits as the person whose git configuration it is, as the repository names another, or as the policy does", async () => {
    const git = (...argv: string[]): void =>
      void execFileSync("git", ["-C", place.workspace, ...argv], { env: { PATH: process.env["PATH"], HOME: place.home } });
    writeFileSync(`${place.home}/.gitconfig`, "[user]\n\tname = Ada Beispiel\n\temail = ada@example.org\n[alias]\n\tsecret = !true\n");
    git("init", "--quiet");
    const commit = `git commit --quiet --allow-empty -m one && git log -1 --format='%an <%ae> %cn' && cat ~/.gitconfig`;
    const committed = async (policy: string) => (await warder(place, ["exec", "--policy", policy, "--", commit])).stdout;
    expect(await committed("unattended")).toBe("Ada Beispiel <ada@example.org> Ada Beispiel\n");
    git("config", "user.name", "Ada at Work");
    expect(await committed("unattended")).toBe("Ada at Work <ada@example.org> Ada at Work\n");
    const named = "version: 1\nname: bot\nextends: unattended\ncommands: { git-identity: { name: Build Bot, email: bot@example.org } }\n";
    expect(await committed(writePolicy(place, "bot", named))).toBe("Build Bot <bot@example.org> Build Bot\n");
    // What would be another line of a commit is nobody's name.
    git("config", "user.name", "a\nparent 1");
    expect((await warder(place, ["exec", "--policy", "unattended", "--", commit])).stderr).toContain("Please tell me who you are");
  });

  test("says that a commit fails where git cannot read who commits", async () => {
    writeFileSync(join(place.home, ".gitconfig"), "[user\n");
    const argv = ["exec", "--policy", "unattended", "--", "true"];
    expect((await warder(place, argv)).stderr).toMatch(
      /git did not say who commits here \(fatal: bad config line 1 in file .*\.gitconfig\), so a commit inside fails\. Mend/u,
    );
    rmSync(join(place.home, ".gitconfig"));
    expect((await warder(place, argv)).stderr).not.toContain("who commits");
  });

  test("makes a commit without a signature where the person signs theirs, and says so", async () => {
    const git = (...argv: readonly string[]) =>
      execFileSync("git", argv, { cwd: place.workspace, env: { ...process.env, HOME: place.home, GIT_CONFIG_NOSYSTEM: "1" }, encoding: "utf8" });
    git("init", "--quiet");
    for (const [key, value] of [
      ["user.name", "Ada"],
      ["user.email", "ada@example.org"],
      ["commit.gpgsign", "yes"],
      ["user.signingkey", "0xABC"],
    ] as const)
      git("config", key, value);
    const end = await warder(place, [
      "exec",
      "--policy",
      "unattended",
      "--",
      "git commit --quiet --allow-empty -m one && git tag -a -m t t && git log --format=%an%GK",
    ]);
    expect(end).toMatchObject({ exitCode: 0, stdout: "Ada\n", stderr: expect.stringContaining("warder: commits and tags of this run are not signed") });
  });

  test("stops a command at its time limit and leaves no container and no mount", async () => {
    const policy = writePolicy(place, "short", EXTENDS_UNATTENDED);
    const end = await warder(place, ["exec", "--policy", policy, "--json", "--", "(setsid sleep 100 &) ; trap '' TERM; sleep 100"]);
    const report = JSON.parse(end.stdout) as { run: string; outcome: { kind: string } };
    expect(end.exitCode).toBe(1);
    expect(report.outcome.kind).toBe("timed-out");
    expect(containersOf(report.run)).toBe("");
    expect(mountsOf(report.run)).toEqual([]);
  });

  test("bounds endless output and says what was cut", async () => {
    const policy = writePolicy(place, "short", EXTENDS_UNATTENDED.replace("2s", "5s"));
    const end = await warder(place, ["exec", "--policy", policy, "--json", "--", "yes"]);
    const report = JSON.parse(end.stdout) as { outcome: { stdout: string; truncated: boolean } };
    expect(report.outcome.truncated).toBe(true);
    expect(report.outcome.stdout.length).toBeLessThan(80 * 1024);
  });

  test.each([
    ["a fork bomb", ":(){ :|:& };:"],
    ["a memory bomb", "python3 -c 'x = bytearray(8 << 30); print(len(x))'"],
    ["many files", `mkdir many && cd many && seq ${String(rounds(10_000, 100_000))} | xargs touch; echo over`],
  ])("survives %s, and the next run works", async (_name, command) => {
    const policy = writePolicy(place, "short", EXTENDS_UNATTENDED);
    const end = await warder(place, ["exec", "--policy", policy, "--json", "--", command]);
    const report = JSON.parse(end.stdout) as { run: string; outcome: { kind: string } };
    expect(report.outcome.kind).toMatch(/completed|timed-out|failed/);
    expect(containersOf(report.run)).toBe("");
    expect(readdirSync(place.workspace)).toEqual([]);
    expect(await warder(place, ["exec", "--policy", "supervised", "--", "echo still here"])).toMatchObject({ exitCode: 0, stdout: "still here\n" });
  });

  test("nothing of Warder's environment reaches a command", async () => {
    const end = await warder(place, ["exec", "--policy", writePolicy(place, "short", EXTENDS_UNATTENDED), "--", "cat /proc/self/environ | tr '\\0' '\\n'"], {
      environment: { WARDER_TEST_SECRET: "canary-4711", ANTHROPIC_API_KEY: "canary-4712" },
    });
    expect(end.stdout + end.stderr).not.toContain("canary");
  });

  test("says what to do when no engine answers, exits 6, and runs nothing anywhere else", async () => {
    const end = await warder(place, ["exec", "--policy", writePolicy(place, "short", EXTENDS_UNATTENDED), "--", "touch ran"], {
      environment: { DOCKER_HOST: `unix://${place.root}/no-engine.sock` },
    });
    expect(end.exitCode).toBe(6);
    expect(end.stderr).toMatch(/docker/i);
    // Where bubblewrap works it is named as a way out, and not taken.
    expect(end.stderr.includes("for a policy with `sandbox.runtime: bubblewrap`")).toBe((await bubblewrapRuntime().check()).isReady);
    expect(readdirSync(place.workspace)).toEqual([]);
  });

  test("an empty command is a mistake in the words, and starts nothing", async () => {
    const end = await warder(place, ["exec", "--policy", "supervised", "--", " "]);
    expect(end).toMatchObject({ exitCode: 2, stdout: "", stderr: "warder: A command is needed: warder exec -- 'git status'\n" });
  });

  test("a policy that cannot be read stops before anything, with line and column", async () => {
    const policy = writePolicy(place, "broken", "version: 1\nname: broken\nextends: base\nautonmy: full\n");
    const end = await warder(place, ["exec", "--policy", policy, "--", "echo hi"]);
    expect(end.exitCode).toBe(78);
    expect(end.stderr).toMatch(/broken\.yaml:4:1/);
  });
});
