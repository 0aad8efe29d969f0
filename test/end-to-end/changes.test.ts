import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { describeWithDocker } from "../support/docker.ts";
import { warderAtTerminal } from "../support/pseudo-terminal.ts";
import { exitCodeOf, until } from "../support/until.ts";
import { makePlace, startWarder, warder, writePolicy } from "../support/warder-cli.ts";

const SCRIPT = `protocol: anthropic
turns:
  - calls:
      - { tool: write_file, input: { path: "src/new.txt", content: "new" } }
      - { tool: write_file, input: { path: "Makefile", content: "all:\\n\\ttrue\\n" } }
      - { tool: write_file, input: { path: "notes.txt", content: "deploy with correct-horse-battery" } }
      - { tool: shell, input: { command: "rm old.txt" } }
  - say: "Done."
`;

/** A repository with one commit, in which an unattended run has changed things. */
async function unattendedInRepository() {
  const here = makePlace();
  onTestFinished(() => {
    here.remove();
  });
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "safe.directory=*", ...args], {
      cwd: here.workspace,
      encoding: "utf8",
    });
  writeFileSync(join(here.workspace, "old.txt"), "old");
  git("init", "-q", "-b", "main");
  git("config", "user.name", "A");
  git("config", "user.email", "a@example.com");
  git("add", ".");
  git("commit", "-qm", "one");
  const script = join(here.root, "script.yaml");
  writeFileSync(script, SCRIPT);
  const ran = await warder(here, ["run", "--unattended", "--model", `scripted:${script}`, "Change things."]);
  return { here, git, ran };
}

describeWithDocker("a person who reviews what a run changed", () => {
  test("sees what to look at, lands a part, throws a part away, and lands a secret only by its name", async () => {
    const here = makePlace();
    onTestFinished(() => {
      here.remove();
    });
    const at = (path: string): string => join(here.workspace, path);
    writeFileSync(at("old.txt"), "old");
    const script = join(here.root, "script.yaml");
    writeFileSync(script, SCRIPT);
    const ran = await warder(here, ["run", "--unattended", "--json", "--model", `scripted:${script}`, "Change things."]);
    expect(ran).toMatchObject({ exitCode: 0, stderr: "" });
    const { summary } = JSON.parse(ran.stdout.trim().split("\n").at(-1) ?? "") as { summary: { run: string } };
    const environment = { DEPLOY_TOKEN: "correct-horse-battery" };
    const changes = (action: string, ...paths: string[]) => warder(here, ["changes", action, summary.run, ...paths], { environment });

    const listed = await changes("list");
    expect(listed.stdout).toBe(
      [
        "! secret: It holds the secret DEPLOY_TOKEN: it lands only when its path is named.",
        "added    notes.txt  33 B",
        "! build-file: A build, test or lint command runs what it says. (make and its kin)",
        "added    Makefile  11 B",
        "plain: source, text or data",
        "deleted  old.txt  3 B",
        "added    src (directory)",
        "added    src/new.txt  3 B",
        "5 changes (4 added, 1 deleted), 47 B to write; 2 flagged",
        `Review: warder changes diff ${summary.run}, then warder changes apply ${summary.run} (or discard)`,
        "",
      ].join("\n"),
    );
    expect((await changes("diff", "Makefile")).stdout).toMatch(/^! Makefile: A build.*\n--- \/dev\/null\n\+\+\+ b\/Makefile\n/u);
    expect(await changes("diff", "absent")).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("No change matches absent") });

    expect(await changes("apply", join(here.workspace, "src"), "*.txt")).toMatchObject({
      exitCode: 1,
      stdout: expect.stringMatching(
        /left out +added +notes\.txt.*DEPLOY_TOKEN.*\n3 changes landed\. 2 changes wait: warder changes list run-\w+, then apply or discard\nTake it back, for a week: warder changes undo run-\w+\n$/u,
      ),
    });
    expect((await changes("list")).stdout).toMatch(/discard\)\nTo take its last landing back: warder changes undo run-\w+\n$/u);
    expect([existsSync(at("src/new.txt")), existsSync(at("old.txt")), existsSync(at("notes.txt")), existsSync(at("Makefile"))]).toEqual([
      true,
      false,
      false,
      false,
    ]);
    expect(await changes("discard", "Makefile")).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^1 change discarded\. 1 change waits: .*\nA part that was discarded cannot be taken back/u),
    });
    const applied = await warder(here, ["changes", "apply", "--json", summary.run, "notes.txt"], { environment });
    expect(applied.exitCode).toBe(0);
    expect(JSON.parse(applied.stdout)).toMatchObject({ applied: [{ path: "notes.txt", flags: [{ kind: "secret" }] }], refused: [] });
    expect(readFileSync(at("notes.txt"), "utf8")).toContain("correct-horse");
    expect(await changes("list")).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("left no changes") });
    expect(existsSync(at("Makefile"))).toBe(false);
    const undone = await changes("undo", "notes.txt");
    expect(undone).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^back +deleted +notes\.txt.*\nIt waits for a review again: warder changes list run-\w+\n$/u),
    });
    expect([existsSync(at("notes.txt")), existsSync(at("src/new.txt"))]).toEqual([false, true]);
    writeFileSync(at("src/new.txt"), "mine");
    expect(await changes("undo")).toMatchObject({
      exitCode: 1,
      stdout: expect.stringMatching(/^in the way deleted +src\/new\.txt .*somebody changed it since it landed/mu),
    });
    const log = await warder(here, ["audit", "tail", "--json", "--run", summary.run, "--limit", "50"]);
    const kinds = log.stdout.split("\n").flatMap((line) => /"kind":"(changes-[a-z]+)"/u.exec(line)?.[1] ?? []);
    const undoing = ["changes-undoing", "changes-undone"];
    expect(kinds).toEqual([..."landing applied discarding discarded landing applied".split(" ").map((kind) => `changes-${kind}`), ...undoing, ...undoing]);
    expect(log.stdout).toContain('"kinds":["secret"]');
  });

  test("takes an action of the policy's limit with each landing, and is refused by none", async () => {
    const here = makePlace();
    onTestFinished(() => {
      here.remove();
    });
    const script = join(here.root, "script.yaml");
    writeFileSync(script, SCRIPT);
    writeFileSync(join(here.workspace, "old.txt"), "old");
    const policy = writePolicy(here, "one", "version: 1\nname: one\nextends: unattended\nlimits: { actions: { max: 1, per: 1h } }\n");
    const used = async (): Promise<unknown> => {
      const { stdout } = await warder(here, ["budgets", "--policy", policy, "--json"]);
      return (JSON.parse(stdout) as { budgets: { limit: string; used: number }[] }).budgets.find(({ limit }) => limit === "limits.actions of one")?.used;
    };
    const ran = await warder(here, ["run", "--unattended", "--policy", policy, "--json", "--model", `scripted:${script}`, "Change things."]);
    const { summary } = JSON.parse(ran.stdout.trim().split("\n").at(-1) ?? "") as { summary: { run: string } };
    expect(await used()).toBe(0);
    for (const path of ["src", "old.txt"]) expect(await warder(here, ["changes", "apply", summary.run, path])).toMatchObject({ exitCode: 0, stderr: "" });
    expect([existsSync(join(here.workspace, "src/new.txt")), existsSync(join(here.workspace, "old.txt")), await used()]).toEqual([true, false, 2]);
    expect((await warder(here, ["audit", "tail", "--kind", "budget-moved", "--json"])).stdout).toContain("limits.actions of one");
  });

  test("puts a run in a repository on a branch of their own, as its summary says", async () => {
    const { here, git, ran } = await unattendedInRepository();
    const [, run = ""] = /warder changes apply (run-\w+) \(makes the branch warder\/\1; or apply --checkout, or discard\)/u.exec(ran.stdout) ?? [];
    git("commit", "-q", "--allow-empty", "-m", "theirs");
    const before = [git("status", "--porcelain"), git("rev-parse", "HEAD")];
    expect(await warder(here, ["changes", "apply", run, "--branch", "--", "src"])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("name no paths"),
    });
    const made = await warder(here, ["changes", "apply", run], { environment: { DEPLOY_TOKEN: "correct-horse-battery" } });
    expect(made).toMatchObject({
      exitCode: 1,
      stdout: expect.stringMatching(/left out +added +notes\.txt.*DEPLOY_TOKEN[^]*warder\/run-\w+ is at [0-9a-f]{12}; checkout and index/u),
    });
    expect([git("status", "--porcelain"), git("rev-parse", "HEAD")]).toEqual(before);
    expect(git("diff", "--name-status", "main~1", `warder/${run}`)).toBe("A\tMakefile\nD\told.txt\nA\tsrc/new.txt\n");
    expect(git("log", "-1", "--format=%an %(trailers:key=Warder-Run,valueonly)", `warder/${run}`).trim()).toBe(`A ${run}`);
    const log = await warder(here, ["audit", "tail", "--json", "--run", run, "--kind", "changes-applied"]);
    expect(log.stdout).toContain(`"branch":"warder/${run}"`);
    expect(await warder(here, ["changes", "apply", run, "--checkout", "--branch"])).toMatchObject({ exitCode: 2 });
    const landed = await warder(here, ["changes", "apply", run, "--checkout", "--yes"]);
    expect([landed.exitCode, existsSync(join(here.workspace, "Makefile"))]).toEqual([0, true]);
  });

  test("stand on what a person committed meanwhile, or say what conflicts", async () => {
    const { here, git, ran } = await unattendedInRepository();
    const run = /run-\w+/u.exec(ran.stdout)?.[0] ?? "";
    expect(await warder(here, ["changes", "rebase", run])).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("there is nothing to rebase") });
    writeFileSync(join(here.workspace, "Makefile"), "all:\n\tfalse\n");
    git("add", ".");
    git("commit", "-qm", "theirs");
    expect(await warder(here, ["changes", "rebase", run])).toMatchObject({
      exitCode: 1,
      stdout: expect.stringMatching(/^conflict {2}what the run left uncommitted: Makefile\nrun-\w+ is as it was\. .*changes apply run-\w+ --branch\n$/u),
    });
    git("reset", "-q", "--hard", "HEAD~1");
    git("commit", "-q", "--allow-empty", "-m", "two");
    expect(await warder(here, ["changes", "rebase", run])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^run-\w+ is on main at [0-9a-f]{12} now, with 0 commits of its own\. .*\nReview: warder changes diff /u),
    });
    expect((await warder(here, ["changes", "apply", run])).exitCode).toBe(0);
    expect(git("log", "--format=%s", `warder/${run}`)).toBe(`Left uncommitted by ${run}\ntwo\none\n`);
    expect((await warder(here, ["audit", "tail", "--json", "--run", run, "--kind", "changes-rebased"])).stdout).toContain('"branch":"refs/heads/main"');
  });

  test("lands nothing that is flagged before somebody says so: at a terminal by a key, else by --yes or by its path", async () => {
    const here = makePlace();
    onTestFinished(() => {
      here.remove();
    });
    const at = (path: string): string => join(here.workspace, path);
    writeFileSync(at("old.txt"), "old");
    const script = join(here.root, "script.yaml");
    writeFileSync(script, SCRIPT);
    const ran = await warder(here, ["run", "--unattended", "--json", "--model", `scripted:${script}`, "Change things."]);
    const { summary } = JSON.parse(ran.stdout.trim().split("\n").at(-1) ?? "") as { summary: { run: string } };
    const { run } = summary;
    for (const paths of [[], ["*"], ["src", "*ile"]]) {
      const refused = await warder(here, ["changes", "apply", run, ...paths]);
      expect(refused).toMatchObject({
        exitCode: 3,
        stdout: expect.stringMatching(
          /^! build-file: [^]*Makefile[^]*\nNothing landed: 1 change is flagged, and nobody was asked\. .* apply run-\w+ --yes, or name each path\n$/u,
        ),
      });
    }
    const json = await warder(here, ["changes", "apply", run, "--json"]);
    expect([json.exitCode, JSON.parse(json.stdout)]).toMatchObject([3, { applied: [], refused: [{ change: { path: "Makefile" } }] }]);
    expect([existsSync(at("src/new.txt")), existsSync(at("old.txt")), existsSync(at("Makefile"))]).toEqual([false, true, false]);

    const terminal = warderAtTerminal(here, ["changes", "apply", run]);
    await terminal.shows(/Land it\?/u);
    expect(terminal.screen()).toContain("Makefile");
    terminal.type("k");
    await terminal.ended;
    expect(terminal.screen()).toMatch(/Nothing landed\. 5 changes wait/u);
    const again = warderAtTerminal(here, ["changes", "apply", run, "Makefile", "src"]);
    await again.ended;
    expect([again.screen().includes("Land it?"), existsSync(at("Makefile")), existsSync(at("old.txt"))]).toEqual([false, true, true]);
    expect((await warder(here, ["audit", "tail", "--json", "--run", run, "--kind", "changes-landing", "--limit", "9"])).stdout.trim().split("\n")).toHaveLength(
      1,
    );
  });

  test("are shown while the run goes on, and land only when it has ended", async () => {
    const here = makePlace();
    onTestFinished(() => {
      here.remove();
    });
    const script = join(here.root, "script.yaml");
    const command = "echo all: > Makefile; echo made > made.txt; until test -e go; do sleep 0.1; done";
    writeFileSync(script, `protocol: anthropic\nturns:\n  - calls: [{ tool: shell, input: { command: ${JSON.stringify(command)} } }]\n  - say: "Over."\n`);
    const child = startWarder(here, ["run", "--unattended", "--json", "--model", `scripted:${script}`, "Make."]);
    const state = { run: "" };
    child.stdout?.setEncoding("utf8").on("data", (text: string) => (state.run ||= /"runId":"([^"]+)"/u.exec(text)?.[1] ?? ""));
    await until("the run writes", async () => state.run !== "" && (await warder(here, ["changes", "list", state.run])).stdout.includes("made.txt"));
    const shown = await warder(here, ["changes", "list", state.run]);
    expect(shown.stdout).toMatch(
      /^It is still going\. So far:\n! build-file: [^]*added {4}Makefile {2}5 B\n[^]*added {4}made\.txt {2}5 B\n2 changes \(2 added\)/u,
    );
    expect((await warder(here, ["changes", "diff", state.run, "made.txt"])).stdout).toContain("+made");
    for (const action of ["apply", "discard"])
      expect(await warder(here, ["changes", action, state.run])).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("is still going") });
    expect(existsSync(join(here.workspace, "made.txt"))).toBe(false);
    child.kill("SIGTERM");
    await exitCodeOf(child);
    expect((await warder(here, ["changes", "apply", state.run, "--yes"])).exitCode).toBe(0);
    expect(readFileSync(join(here.workspace, "made.txt"), "utf8")).toBe("made\n");
  });
});
