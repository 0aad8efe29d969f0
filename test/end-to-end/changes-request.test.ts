import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { describeWithDocker } from "../support/docker.ts";
import { warderAtTerminal } from "../support/pseudo-terminal.ts";
import { makePlace, type Place, warder } from "../support/warder-cli.ts";

const SCRIPT = `protocol: anthropic
turns:
  - calls:
      - { tool: shell, input: { command: "echo two > two.txt; git add .; git commit -qm \\"$(printf 'Add two \\\\033[2Jx')\\"; echo three > three.txt" } }
  - say: "Done."
`;

describeWithDocker("a request for review of what a run did", () => {
  let here: Place & { remove(): void };
  let run = "";
  const git = (...words: readonly string[]): string =>
    execFileSync("git", ["-c", "safe.directory=*", ...words], { cwd: here.workspace, encoding: "utf8", env: { PATH: process.env["PATH"], HOME: here.home } });
  const remoteRefs = (): string =>
    execFileSync("git", ["--git-dir", join(here.root, "remote.git"), "for-each-ref", "--format=%(refname)"], { encoding: "utf8" });
  const gh = (): string => join(here.root, "bin", "gh");
  const configure = (command: readonly string[], more = ""): void => {
    writeFileSync(join(here.state, "settings.yaml"), `version: 1\nrequests: { command: ${JSON.stringify(command)}${more} }\n`, { mode: 0o600 });
  };
  const words = (): readonly string[] => [
    gh(),
    "pr",
    "create",
    "--draft",
    "--head={branch}",
    "--base",
    "{base}",
    "--title={title}",
    "--body={body}",
    "--run={run}",
  ];
  const answer = async (typed: string, ...more: readonly string[]): Promise<{ readonly screen: string; readonly exitCode: number | null }> => {
    const terminal = warderAtTerminal(here, ["changes", "pr", run, ...more]);
    await terminal.shows(/To confirm, type: push/u);
    terminal.type(`${typed}\r`);
    const exitCode = await terminal.ended;
    return { screen: terminal.screen().replaceAll("\r", ""), exitCode };
  };

  beforeEach(async () => {
    here = makePlace();
    mkdirSync(join(here.root, "bin"));
    writeFileSync(
      gh(),
      `#!/bin/sh\nprintf '%s\\n' "$@" > ${here.root}/asked\npwd >> ${here.root}/asked\n[ ! -e ${here.root}/fail ] || { echo 'no token' >&2; exit 4; }\nprintf 'https://example.org/pull/7\\033[2J\\n'\n`,
    );
    chmodSync(gh(), 0o755);
    writeFileSync(join(here.home, ".gitconfig"), "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n[safe]\n\tdirectory = *\n");
    writeFileSync(join(here.workspace, "one.txt"), "one\n");
    git("init", "-q");
    git("add", ".");
    git("commit", "-qm", "one");
    execFileSync("git", ["init", "-q", "--bare", join(here.root, "remote.git")]);
    git("remote", "add", "origin", join(here.root, "remote.git"));
    const script = join(here.root, "script.yaml");
    writeFileSync(script, SCRIPT);
    const ran = await warder(here, ["run", "--unattended", "--model", `scripted:${script}`, "--", "--- Count to three.\nThen stop."]);
    run = /run-\w+/u.exec(ran.stdout)?.[0] ?? "";
  });
  afterEach(() => {
    here.remove();
  });

  test("says what to configure, and leaves the machine only by a word that a person types", async () => {
    expect(await warder(here, ["changes", "pr", run])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/No program is configured[^]*settings\.yaml[^]*requests:\n {2}command: \[\/usr\/bin\/gh, pr, create, --draft/u),
    });
    configure(words());
    expect(await warder(here, ["changes", "pr", run], { input: "push\n" })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/A person at a terminal has to confirm this[^]*Nothing left this machine/u),
    });
    const no = await answer("yes");
    expect(no.exitCode).toBe(2);
    expect([remoteRefs(), existsSync(join(here.root, "asked"))]).toEqual(["", false]);

    git("config", "remote.origin.pushurl", `https://ada:secret@example.org/x`);
    git("config", "--add", "remote.origin.pushurl", join(here.root, "remote.git"));
    const shown = await answer("no");
    expect(shown.screen).toContain("to       origin: https://…@example.org/x");
    expect(shown.screen).toContain(`to       origin: ${here.root}/remote.git`);
    expect(shown.screen).not.toContain("secret");
    git("config", "--unset-all", "remote.origin.pushurl");

    const yes = await answer("push");
    expect(yes.exitCode).toBe(0);
    expect(yes.screen).toMatch(/branch {3}warder\/run-\w+ at [0-9a-f]{12}, begun on main\n/u);
    expect(yes.screen).toMatch(/Commits:\n {4}[0-9a-f]{7} Left uncommitted by run-\w+\n {4}[0-9a-f]{7} Add two \\u\{1b\}\[2Jx\n/u);
    expect(yes.screen).toMatch(/ three\.txt \| 1 \+\n {3}two\.txt +\| 1 \+\n/u);
    expect(yes.screen).toContain("https://example.org/pull/7\\u{1b}[2J");
    expect(yes.screen).not.toContain("\u001b[2J");
    expect(remoteRefs()).toBe(`refs/heads/warder/${run}\n`);
    const asked = readFileSync(join(here.root, "asked"), "utf8");
    expect(asked.split("\n").slice(0, 7)).toEqual(["pr", "create", "--draft", `--head=warder/${run}`, "--base", "main", "--title=Count to three."]);
    expect(asked).toMatch(/--body=Made by run-\w+ of Warder[^]*\n {4}[0-9a-f]{7} Add two \\u\{1b\}\[2Jx\n/u);
    expect(asked.trimEnd().split("\n").slice(-2)).toEqual([`--run=${run}`, here.workspace]);
    const log = await warder(here, ["audit", "tail", "--json", "--run", run, "--limit", "50"]);
    expect(log.stdout.split("\n").flatMap((line) => /"kind":"(changes-push[a-z]+)"/u.exec(line)?.[1] ?? [])).toEqual(["changes-pushing", "changes-pushed"]);
    // The checkout is as it was.
    expect([git("status", "--porcelain"), git("log", "--format=%s")]).toEqual(["", "one\n"]);
  });

  test("runs no program that an agent could have written, and pushes to no remote without a name", async () => {
    for (const command of [join(here.workspace, "gh"), `${here.root}/bin/../workspace/gh`]) {
      configure([command, "{branch}"]);
      expect(await warder(here, ["changes", "pr", run])).toMatchObject({ exitCode: 78, stderr: expect.stringContaining("where the agent may write") });
    }
    configure([gh(), `--template=${here.workspace}/t`, "{branch}"]);
    expect(await warder(here, ["changes", "pr", run])).toMatchObject({ exitCode: 78, stderr: expect.stringContaining("where the agent may write") });
    configure(words());
    for (const remote of ["ext::sh -c touch% pwned", here.workspace, "--upload-pack=x", "absent"])
      expect(await warder(here, ["changes", "pr", run, `--remote=${remote}`])).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining("There is no remote"),
      });
    expect(existsSync(join(here.workspace, "pwned"))).toBe(false);
  });

  test("says what was done when a hook of theirs, the remote or the program refuses", async () => {
    configure(words());
    const hook = join(here.workspace, ".git/hooks/pre-push");
    writeFileSync(hook, "#!/bin/sh\necho 'error: not on a Sunday' >&2\nexit 1\n", { mode: 0o755 });
    const refused = await answer("push");
    expect([refused.exitCode, remoteRefs(), existsSync(join(here.root, "asked"))]).toEqual([1, "", false]);
    expect(refused.screen).toMatch(/Nothing left this machine: git does not push warder\/run-\w+: error: /u);
    writeFileSync(hook, "#!/bin/sh\nexit 0\n");
    // Another URL than the name's: shown as it is, and git itself refuses to run it.
    git("config", `url.ext::sh -c touch% ${here.root}/pwned.insteadOf`, join(here.root, "remote.git"));
    const rewritten = await answer("push");
    expect(rewritten.screen).toContain("to       origin: ext::sh -c touch");
    expect([rewritten.exitCode, remoteRefs(), existsSync(join(here.root, "pwned"))]).toEqual([1, "", false]);
    git("config", "--remove-section", `url.ext::sh -c touch% ${here.root}/pwned`);
    writeFileSync(join(here.root, "fail"), "");
    const unopened = await answer("push");
    expect([unopened.exitCode, remoteRefs()]).toEqual([1, `refs/heads/warder/${run}\n`]);
    expect(unopened.screen).toMatch(/is pushed, and no request was opened: exit code 4: no token\n/u);
  });
});
