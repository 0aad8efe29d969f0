import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { bubblewrapRuntime } from "../../src/sandbox/bubblewrap/runtime.ts";
import { dockerRuntime } from "../../src/sandbox/docker/runtime.ts";
import { makePlace, type Place, warder, writePolicy } from "../support/warder-cli.ts";

const RUNTIMES = [
  ["docker", dockerRuntime()],
  ["bubblewrap", bubblewrapRuntime()],
] as const;

for (const [runtime, ready] of RUNTIMES) {
  const { isReady, detail } = await ready.check();
  const group = isReady || process.env["REQUIRE_DOCKER"] === "1" ? describe : describe.skip;

  group(isReady ? `commits of an unattended run, on ${runtime}` : `commits of an unattended run [skipped: ${detail}]`, () => {
    let place: Place & { remove(): void };
    beforeEach(() => {
      place = makePlace();
      writeFileSync(join(place.home, ".gitconfig"), "[user]\n\tname = Ann\n\temail = ann@example.org\n[init]\n\tdefaultBranch = main\n");
      git("init", "-q");
    });
    afterEach(() => {
      place.remove();
    });

    const git = (...argv: readonly string[]): string =>
      execFileSync("git", argv, { cwd: place.workspace, encoding: "utf8", env: { PATH: process.env["PATH"], HOME: place.home, GIT_CONFIG_NOSYSTEM: "1" } });
    const hook = (path: string, text: string): void => {
      mkdirSync(join(place.workspace, path, ".."), { recursive: true });
      writeFileSync(join(place.workspace, path), `#!/bin/sh\n${text}\n`);
      chmodSync(join(place.workspace, path), 0o755);
    };
    /** Runs a script in an unattended run, encoded, so that the sandbox alone judges it, and lands everything; the id of the run. */
    const commit = async (script: string): Promise<string> => {
      const policy = writePolicy(
        place,
        "sealed",
        "version: 1\nname: sealed\nextends: base\nautonomy: full\nworkspace: { roots: [{ path: ., access: read-write }] }\n" +
          "commands: { effects: { runs-code: allow, unknown: allow, undecidable: allow } }\n" +
          `sandbox: { runtime: ${runtime}, workspace: transactional, network: { allow: [] } }\n`,
      );
      const command = `bash -ec "$(echo ${Buffer.from(`${script}\ntouch finished`).toString("base64")} | base64 -d)"`;
      const turns = [{ say: "Now.", calls: [{ tool: "shell", input: { command } }] }, { say: "Done." }];
      writeFileSync(join(place.root, "script.yaml"), JSON.stringify({ protocol: "anthropic", turns }));
      const ran = await warder(place, [
        "run",
        "--unattended",
        "--policy",
        policy,
        "--json",
        "--model",
        `scripted:${join(place.root, "script.yaml")}`,
        "Commit.",
      ]);
      expect(ran).toMatchObject({ exitCode: 0 });
      const run = /"runId":"(run-\w+)"/u.exec(ran.stdout)?.[1] ?? "";
      expect(await warder(place, ["changes", "apply", run, "--checkout", "--yes"])).toMatchObject({ exitCode: 0 });
      // Nothing of the script failed.
      expect(existsSync(join(place.workspace, "finished"))).toBe(true);
      return run;
    };
    const messages = (): string => git("log", "--reverse", "--format=%an|%s|%(trailers:key=Warder-Run,separator=%x2C)");

    test("end with a line that names the run, once, whatever makes them; a message without text stays without", async () => {
      const run = await commit(`
        echo a > a; git add a; git commit -q -m one; git commit -q --amend --no-edit; git commit -q --amend -m first
        git commit -q --allow-empty --no-verify -m two -m body
        ! git commit -q --allow-empty -m "" || exit 1; ! GIT_EDITOR=true git commit -q --allow-empty || exit 1
        git checkout -q -b side HEAD~1; git commit -q --allow-empty -m three; git checkout -q main; git merge -q -m four side; git branch -D side`);
      expect(messages().trim().split("\n").toSorted()).toEqual(
        ["first", "four", "three", "two"].map((subject) => `Ann|${subject}|Warder-Run: ${run}`).toSorted(),
      );
    });

    test.each([
      [".git/hooks", [] as const],
      [".husky", ["config", "core.hooksPath", ".husky"] as const],
    ])("are still judged by the repository's own hooks in %s", async (folder, setting) => {
      if (setting.length > 0) git(...setting);
      hook(`${folder}/pre-commit`, "! test -e forbidden");
      hook(`${folder}/commit-msg`, 'grep -q ticket "$1"');
      hook(`${folder}/post-commit`, "echo made >> hooks.log");
      const run = await commit(`
        git commit -q --allow-empty -m "a ticket"; ! git commit -q --allow-empty -m nothing || exit 1
        touch forbidden; ! git commit -q --allow-empty -m "a ticket" || exit 1; rm forbidden`);
      expect(messages()).toBe(`Ann|a ticket|Warder-Run: ${run}\n`);
      expect(readFileSync(join(place.workspace, "hooks.log"), "utf8")).toBe("made\n");
    });

    test("are made by hooks that the run cannot change", async () => {
      const run = await commit(`
        echo "exit 1" > /.warder/hooks/commit-msg || true; rm -f /.warder/hooks/prepare-commit-msg || true; mv /.warder/hooks /.warder/h || true
        git commit -q --allow-empty -m one`);
      expect(messages()).toBe(`Ann|one|Warder-Run: ${run}\n`);
    });

    test("are those of a person alone where a command is executed by one", async () => {
      await warder(place, ["exec", "--policy", "unattended", "--", "git commit --quiet --allow-empty -m one && git log --format=%B"]).then((end) => {
        expect(end).toMatchObject({ exitCode: 0, stdout: "one\n\n" });
      });
    });
  });
}
