import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { bubblewrapRuntime } from "../../../src/sandbox/bubblewrap/runtime.ts";
import { dockerRuntime } from "../../../src/sandbox/docker/runtime.ts";
import type { Runtime, Session } from "../../../src/sandbox/runtime.ts";
import { withRepository } from "../../../src/sandbox/workspace/with-repository.ts";
import { bash, IS_ELSEWHERE, makeFixture, perform, profileOf, run, type SandboxFixture } from "../../contract/sandbox-fixture.ts";
import { describeWithDocker } from "../../support/docker.ts";

// The real git, inside and outside. test/end-to-end/ordinary-user.test.ts runs this as a user who is not root.

/** As the policy `base` says. */
const PROTECTED = ["/**/.git/hooks/**", "/**/.git/config*", "/**/.git/info/**", "/**/.git/commondir", "/**/.git/worktrees/*/gitdir"];
const FILES = ["config", "HEAD", "index", "logs/HEAD"];

function suite(runtime: Runtime): void {
  let fixture: SandboxFixture;
  let top: string;
  let common: string;
  let session: Session | null = null;
  beforeEach(() => {
    fixture = makeFixture();
    top = fixture.workspace;
    common = join(top, "repo/.git");
    writeFileSync(join(fixture.folder, ".gitconfig"), "[user]\n\tname = Ann\n\temail = ann@example.org\n[init]\n\tdefaultBranch = main\n");
    host(".", "git init -q repo && cd repo && echo a > a && git add . && git commit -qm one && git branch other");
  });
  afterEach(async () => {
    await session?.close();
    session = null;
    fixture.remove();
  });

  const host = (directory: string, script: string): string => {
    const env = { PATH: process.env["PATH"], HOME: fixture.folder, GIT_CONFIG_NOSYSTEM: "1" };
    return execFileSync("bash", ["-ec", script], { cwd: join(top, directory), encoding: "utf8", env, stdio: ["ignore", "pipe", "pipe"] });
  };
  const linked = (name: string): string => {
    host("repo", `git worktree add -q ../${name} -b ${name}`);
    return name;
  };
  /** Opens a session in a workspace, in place of the last one; the note is what a person is told. */
  const open = async (directory: string, protects: readonly string[] = PROTECTED): Promise<{ readonly session: Session; readonly note: string | null }> => {
    await session?.close();
    const { profile, note } = withRepository({
      ...profileOf(fixture, { settings: { workspace: "bind", runtime: runtime.name } }),
      roots: [{ path: join(top, directory), access: "read-write" }],
      protected: protects,
      gitIdentity: { name: "Ann", email: "ann@example.org" },
    });
    session = await runtime.open(profile, { runId: fixture.runId, runDirectory: fixture.runDirectory });
    return { session, note };
  };
  const log = (directory: string): string => host(directory, "git log --format=%s:%an");
  const isSound = (directory: string): string => host(directory, "git fsck --strict --no-dangling 2>&1; git status --porcelain");
  const textOf = (path: string): string => (existsSync(path) ? readFileSync(path, "hex") : "absent");

  test("a commit in a linked worktree is there at once, on the branch that it was made on", async () => {
    const feature = linked("feature");
    const before = FILES.map((file) => textOf(join(common, file)));
    const opened = await open(feature);
    const everyday = "git switch -q -c fix; echo b > b; git add b; git commit -qm two; git commit -q --amend -m 'two b'; git tag t; echo c >> a; git stash -q";
    const ran = await run(opened.session, `set -e; ${everyday}; git merge -q other; git status --porcelain; git log --format=%s:%an`);
    expect([opened.note, ran]).toEqual([null, { code: 0, signal: null, out: "two b:Ann\none:Ann\n", err: "" }]);
    expect([log(feature), isSound(feature), isSound("repo")]).toEqual(["two b:Ann\none:Ann\n", "", ""]);
    expect(host(feature, "git symbolic-ref HEAD; git rev-parse t fix HEAD | uniq | wc -l; git stash list | wc -l")).toBe("refs/heads/fix\n1\n1\n");
    expect(FILES.map((file) => textOf(join(common, file)))).toEqual(before);
  });

  test.each([
    ["a submodule's checkout", "outer/sub", "git init -q outer; git -C outer -c protocol.file.allow=always submodule --quiet add ../repo sub"],
    [
      "a checkout with its repository elsewhere",
      "apart",
      'git clone -q --separate-git-dir=apart.git repo apart; git --git-dir apart.git config core.worktree "$PWD/apart"',
    ],
  ])("a commit in %s is there at once, and what steers git there stays", async (_what, directory, script) => {
    host(".", script);
    const git = host(directory, "git rev-parse --absolute-git-dir").trim();
    const commit = "echo b > b; git add b; git commit -qm two; git tag gone; git update-ref -d refs/tags/gone; git pack-refs --all; git log -1 --format=%s";
    const opened = await open(directory);
    expect([opened.note, await run(opened.session, `set -e; ${commit}`)]).toEqual([null, { code: 0, signal: null, out: "two\n", err: "" }]);
    expect([log(directory), isSound(directory)]).toEqual(["two:Ann\none:Ann\n", ""]);
    const files = ["config", "hooks/pre-commit", "info/attributes", "objects/info/alternates", "modules/evil/config", "commondir", "config.worktree"];
    const before = files.map((file) => textOf(join(git, file)));
    for (const file of files) {
      await perform((await open(directory, [])).session, bash(opened.session, `mkdir -p $(dirname ${git}/${file}); echo evil > ${git}/${file}`));
      expect([file, textOf(join(git, file))]).toEqual([file, before[files.indexOf(file)]]);
    }
  });

  test("what steers git there, and what is another worktree's, cannot be written", async () => {
    const feature = linked("feature");
    linked("second");
    host("repo", "rm -r .git/info");
    const others = ["HEAD", "index", "logs/HEAD", "worktrees/second/HEAD", "worktrees/second/index", "worktrees/second/gitdir", "worktrees/third/HEAD"];
    const steering = ["config", "config.worktree", "hooks/post-checkout", "info/attributes", "commondir", "modules/evil/config", "packed-refs"];
    const more = ["rebase-merge/git-rebase-todo", "objects/info/alternates", "objects/info/http-alternates"];
    const own = ["gitdir", "commondir", "config.worktree", "config", "hooks/evil", "modules/evil/config", "info/attributes"];
    const all = [...others, ...steering, ...more, ...own.map((file) => `worktrees/feature/${file}`)];
    const before = all.map((file) => [file, textOf(join(common, file))]);
    const attempts = all.map((file) => `(mkdir -p $(dirname ${common}/${file}); rm -f ${common}/${file}; echo evil > ${common}/${file}) 2>/dev/null`);
    const moves = ["hooks", "worktrees", "objects", "refs", "worktrees/feature"].map((name) => `mv ${common}/${name} ${common}/${name}-moved 2>/dev/null`);
    const opened = await open(feature, []);
    await perform(opened.session, bash(opened.session, `${[...attempts, ...moves].join("\n")}\ntouch ran ${common}/objects/ran`));
    expect([existsSync(join(top, feature, "ran")), existsSync(join(common, "objects/ran"))]).toEqual([true, true]);
    expect(all.map((file) => [file, textOf(join(common, file))])).toEqual(before);
  });

  test("a pick that is over leaves nothing that stops git, and one that waits stays", async () => {
    const feature = linked("feature");
    host("repo", "git switch -q -c side; echo b > b; git add b; git commit -qm two; echo c > a; git commit -qam three; git switch -q -");
    const opened = await open(feature);
    const head = join(common, "worktrees/feature/CHERRY_PICK_HEAD");
    const picked = await perform(opened.session, bash(opened.session, "git cherry-pick side~1"));
    expect(picked).toMatchObject({ kind: "completed", result: { exitCode: 0, sharesRefs: true } });
    expect([existsSync(head), log(feature)]).toEqual([false, "two:Ann\none:Ann\n"]);
    const ran = await run(opened.session, "git switch -q -c next && echo d > a && git commit -qam four");
    expect(ran).toEqual({ code: 0, signal: null, out: "", err: "" });
    expect((await run(opened.session, "git cherry-pick side")).code).toBe(1);
    expect(existsSync(head)).toBe(true);
    await perform(opened.session, bash(opened.session, "echo c > a; git add a; git commit -q --no-edit"));
    expect([existsSync(head), isSound(feature)]).toEqual([false, ""]);
  });

  test("a command that the next `git rebase --continue` would run does not stay", async () => {
    const feature = linked("feature");
    const opened = await open(feature);
    const own = join(common, "worktrees/feature/rebase-merge");
    const ended = await perform(opened.session, bash(opened.session, `mkdir ${own}; echo "exec touch ran" > ${own}/git-rebase-todo`));
    expect(ended).toMatchObject({ kind: "failed", code: "quarantined", reason: expect.stringContaining("git-rebase-todo") });
    expect(existsSync(join(own, "git-rebase-todo"))).toBe(false);
  });

  test("nor does it become writable when the person's git replaces it meanwhile", async () => {
    const feature = linked("feature");
    const opened = await open(feature);
    const tries = FILES.map((file) => `echo evil >> ${common}/${file}`).join("\n");
    const running = run(opened.session, `touch ready; until [ -e go ]; do sleep 0.1; done\n${tries}\necho over`);
    await expect.poll(() => existsSync(join(top, feature, "ready"))).toBe(true);
    host("repo", "git config person.wrote it; git switch -q -c mine; echo b > b; git add b; git commit -qm mine; git worktree add -q ../third");
    const before = FILES.map((file) => textOf(join(common, file)));
    writeFileSync(join(top, feature, "go"), "");
    expect((await running).out).toBe("over\n");
    expect(FILES.map((file) => textOf(join(common, file)))).toEqual(before);
    // What the person made meanwhile is theirs.
    expect([log("repo"), log("third")]).toEqual(["mine:Ann\none:Ann\n", "mine:Ann\none:Ann\n"]);
  });

  test("the file that names the repository stays, and no command makes another one", async () => {
    const feature = linked("feature");
    const before = textOf(join(top, feature, ".git"));
    const opened = await open(feature);
    await perform(opened.session, bash(opened.session, "mkdir -p evil below; rm -f .git; echo gitdir: evil > .git; echo gitdir: ../evil > below/.git"));
    expect([textOf(join(top, feature, ".git")), existsSync(join(top, feature, "below")), existsSync(join(top, feature, "below/.git"))]).toEqual([
      before,
      true,
      false,
    ]);
  });

  test("git only reads, as it is said, where a command could put another thing into a link's place, or the policy protects it", async () => {
    const feature = linked("feature");
    const commit = "git log -1 --format=%s; git commit -q --allow-empty -m two && echo done";
    const kept = await open(feature, [`${common}/**`]);
    expect([kept.note, (await run(kept.session, commit)).out]).toEqual([
      `git only reads in this run: the policy protects it, and the repository is ${common}.`,
      "one\n",
    ]);
    mkdirSync(join(top, "aside"));
    symlinkSync(join(top, "aside"), join(common, "objects/info/aside"));
    const linkedAside = await open(feature);
    expect([linkedAside.note, (await run(linkedAside.session, commit)).out]).toEqual([
      `git only reads in this run: ${common}/objects/info/aside is a link, and the repository is ${common}.`,
      "one\n",
    ]);
  });
}

if (!IS_ELSEWHERE)
  describeWithDocker("git in a bound workspace whose repository lies outside, on docker", () => {
    suite(dockerRuntime());
  });

const { isReady, detail } = await bubblewrapRuntime().check();
const group = isReady || process.env["REQUIRE_DOCKER"] === "1" ? describe : describe.skip;
group(isReady ? "git in a bound workspace whose repository lies outside, on bubblewrap" : `git in a bound workspace [skipped: ${detail}]`, () => {
  suite(bubblewrapRuntime());
});
