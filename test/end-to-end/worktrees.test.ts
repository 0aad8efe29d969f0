import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { bubblewrapRuntime } from "../../src/sandbox/bubblewrap/runtime.ts";
import { dockerRuntime } from "../../src/sandbox/docker/runtime.ts";
import { isWhole } from "../support/extent.ts";
import { openState } from "../support/open-state.ts";
import { makePlace, type Place, warder, writePolicy } from "../support/warder-cli.ts";

// The real program and the real git. How a sandbox shows the repository differs by runtime for a user who is not root
// (test/end-to-end/ordinary-user.test.ts). Root mounts it the same way for each: that, and what landing alone decides, is done on one runtime, and in
// a whole run on each.

const RUNTIMES = [
  ["docker", dockerRuntime()],
  ["bubblewrap", bubblewrapRuntime()],
] as const;

const POLICY = (runtime: string): string =>
  `version: 1\nname: sealed\nextends: base\nautonomy: full\nworkspace: { roots: [{ path: ., access: read-write }], forbidden: ["**/hidden.txt"] }\n` +
  `commands: { effects: { runs-code: allow, unknown: allow, undecidable: allow } }\n` +
  `sandbox: { runtime: ${runtime}, workspace: transactional, network: { allow: [] } }\n`;

const found = await Promise.all(RUNTIMES.map(async ([runtime, ready]) => ({ runtime, ...(await ready.check()) })));
const isRoot = process.getuid?.() === 0;
const first = found.find(({ isReady }) => isReady)?.runtime;

for (const { runtime, isReady, detail } of found) {
  const group = isReady || process.env["REQUIRE_DOCKER"] === "1" ? describe : describe.skip;

  if (!isWhole && isRoot && isReady && runtime !== first) continue;

  group(isReady ? `git whose repository lies outside the workspace, on ${runtime}` : `git outside the workspace [skipped: ${detail}]`, () => {
    let place: Place & { remove(): void };
    let policy: string;
    beforeEach(() => {
      place = makePlace();
      policy = writePolicy(place, "sealed", POLICY(runtime));
      writeFileSync(join(place.home, ".gitconfig"), "[user]\n\tname = Ann\n\temail = ann@example.org\n[init]\n\tdefaultBranch = main\n");
      host(place.root, "git init -q repo && cd repo && echo a > a && echo h > hidden.txt && git add . && git commit -qm one && git branch other");
    });
    afterEach(() => {
      place.remove();
    });

    const host = (directory: string, script: string): string => {
      const env = { PATH: process.env["PATH"], HOME: place.home, GIT_CONFIG_NOSYSTEM: "1" };
      return execFileSync("bash", ["-ec", script], { cwd: directory, encoding: "utf8", env, stdio: ["ignore", "pipe", "pipe"] });
    };
    const linked = (name: string): string => {
      host(join(place.root, "repo"), `git worktree add -q ../${name} -b ${name}`);
      return join(place.root, name);
    };
    const at = (workspace: string): Place => ({ ...place, workspace });
    /** Encoded, so that nobody judges what stands in it: the sandbox alone holds it. */
    const inside = async (workspace: string, script: string) =>
      await warder(at(workspace), ["exec", "--policy", policy, "--", `bash -ec "$(echo ${Buffer.from(script).toString("base64")} | base64 -d)"`]);
    const changes = async (workspace: string, verb: string, ...argv: readonly string[]) =>
      await warder(at(workspace), ["changes", verb, ...(verb === "apply" ? ["--yes"] : []), openState(place).newestRun(), ...argv]);
    const log = (directory: string): string => host(directory, "git log --format=%s");
    const isSound = (directory: string): string => host(directory, "git fsck --strict --no-dangling 2>&1; git status --porcelain");

    test("a commit in a linked worktree lands with the files, and nothing else of the repository changes", async () => {
      const feature = linked("feature");
      const common = join(place.root, "repo", ".git");
      const before = readFileSync(join(common, "config"), "utf8");
      const end = await inside(
        feature,
        "git status --porcelain; echo b > b; git add b; git commit -qm two; git tag t; git log --format=%s:%an; git stash list",
      );
      expect(end).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("two:Ann\none:Ann\n") });
      expect(log(feature)).toBe("one\n");
      const listed = await changes(feature, "list");
      expect(listed.stdout).toContain("added    b");
      expect(listed.stdout).toContain(`modified ${common}/refs/heads/feature`);
      expect((await changes(feature, "diff")).stdout).toMatch(
        /refs\/heads\/feature: [0-9a-f]{12} → [0-9a-f]{12}, 1 file differs\n {4}[0-9a-f]{7} two\n {4}A b\n/u,
      );
      expect(await changes(feature, "apply")).toMatchObject({ exitCode: 0 });
      expect([log(feature), isSound(feature), isSound(join(place.root, "repo"))]).toEqual(["two\none\n", "", ""]);
      expect(host(feature, "git rev-parse t HEAD refs/heads/feature | uniq | wc -l; git reflog -1 --format=%gs").trim()).toEqual(
        expect.stringMatching(/^1\nwarder: run-\w+$/u),
      );
      expect(readFileSync(join(common, "config"), "utf8")).toBe(before);
    });

    test("what steers git there, and what is another worktree's, stays as it is whatever a run writes", async () => {
      const feature = linked("feature");
      linked("second");
      const common = join(place.root, "repo", ".git");
      const own = join(common, "worktrees/feature");
      const kept = ["config", "HEAD", "index", "worktrees/second/HEAD", "worktrees/second/index", "worktrees/feature/gitdir", "worktrees/feature/commondir"];
      const before = kept.map((file) => readFileSync(join(common, file), "hex"));
      const attempts = [
        ...kept.map((file) => `${common}/${file}`),
        ...["hooks/post-checkout", "info/attributes", "objects/info/alternates", "worktrees/second/evil", "evil"].map((file) => `${common}/${file}`),
        `${own}/config.worktree`,
        `${own}/locked`,
        `${own}/refs/heads/main`,
      ];
      const write = attempts.map((file) => `mkdir -p $(dirname ${file}) 2>/dev/null; echo evil > ${file} || true`).join("\n");
      await inside(
        feature,
        `echo c > c; git add c; git commit -qm three\n${write}\nmv ${common}/hooks ${common}/h || true; ln -s /etc ${common}/refs/heads/link || true`,
      );
      const applied = await changes(feature, "apply");
      expect(applied.stdout).toContain("applied   added    c");
      expect(kept.map((file) => readFileSync(join(common, file), "hex"))).toEqual(before);
      for (const file of ["hooks/post-checkout", "info/attributes", "objects/info/alternates", "worktrees/second/evil", "evil", "refs/heads/link", "h"])
        expect([file, existsSync(join(common, file))]).toEqual([file, false]);
      for (const file of ["config.worktree", "locked", "refs/heads/main"]) expect([file, existsSync(join(own, file))]).toEqual([file, false]);
      expect(isSound(join(place.root, "repo"))).toBe("");
    });

    test("what is thrown away is thrown away of both, and a part may be", async () => {
      const feature = linked("feature");
      await inside(feature, "echo b > b; git add b; git commit -qm two");
      expect((await changes(feature, "discard", ".git")).exitCode).toBe(0);
      const left = await changes(feature, "list");
      expect([left.stdout.includes("added    b"), left.stdout.includes("refs/heads")]).toEqual([true, false]);
      expect(await changes(feature, "discard")).toMatchObject({ exitCode: 0 });
      expect([log(feature), isSound(feature)]).toEqual(["one\n", ""]);
    });

    test("two worktrees of one repository are worked in at once, and both land", async () => {
      const both = [linked("feature"), linked("second")];
      const commit = "for at in 1 2 3; do echo $at > b; git add b; git commit -qm $at; done";
      await Promise.all(both.map((workspace) => inside(workspace, commit)));
      const listed = await warder(place, ["runs", "--json"]);
      const { runs } = JSON.parse(listed.stdout) as { runs: readonly { readonly id: string }[] };
      const landed = await Promise.all(runs.map(({ id }) => warder(place, ["changes", "apply", id, "--yes"])));
      expect(landed.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
      expect(both.map(log)).toEqual(["3\n2\n1\none\n", "3\n2\n1\none\n"]);
      expect([...both, join(place.root, "repo")].map(isSound)).toEqual(["", "", ""]);
    });

    test("a hidden file is not taken away by a commit of everything", async () => {
      const feature = linked("feature");
      await inside(feature, "echo b >> a; git commit -qam two || true");
      await changes(feature, "apply");
      expect(host(feature, "git ls-tree --name-only HEAD")).toContain("hidden.txt");
      appendFileSync(join(feature, "a"), "c\n");
      expect(host(feature, "git status --porcelain hidden.txt")).toBe("");
    });

    // What follows is decided where changes land, whatever showed them.
    if (!isWhole && isReady && runtime !== first) return;

    test("both land or neither: where somebody committed to the branch, nothing does but what is named", async () => {
      const feature = linked("feature");
      await inside(feature, "echo b > b; git add b; git commit -qm theirs");
      host(feature, "git commit -q --allow-empty -m mine");
      const refused = await changes(feature, "apply");
      expect(refused.exitCode).toBe(1);
      expect(refused.stdout).toMatch(/added {4}b {2}2 B: The commits in \S+ cannot land, and nothing lands without them but what is named\./u);
      expect(refused.stdout).toContain("Conflict: refs/heads/feature was moved since the session began.");
      expect([log(feature), existsSync(join(feature, "b"))]).toEqual(["mine\none\n", false]);
      expect(await changes(feature, "apply", "b")).toMatchObject({ exitCode: 0 });
      expect([log(feature), readFileSync(join(feature, "b"), "utf8")]).toEqual(["mine\none\n", "b\n"]);
    });

    test("a branch that another worktree has checked out is not moved under it", async () => {
      const feature = linked("feature");
      await inside(feature, "git commit -q --allow-empty -m two; git update-ref refs/heads/main HEAD");
      expect((await changes(feature, "apply")).stdout).toContain(`refs/heads/main is checked out in another worktree, ${place.root}/repo.`);
      expect([log(feature), log(join(place.root, "repo"))]).toEqual(["one\n", "one\n"]);
    });

    test.each([
      ["another project's repository", (other: string) => `gitdir: ${other}/.git\n`],
      ["another worktree of the same repository", (_other: string, common: string) => `gitdir: ${common}/worktrees/second\n`],
      ["the directory that worktrees share", (_other: string, common: string) => `gitdir: ${common}\n`],
      ["no repository", (other: string) => `gitdir: ${other}/keys\n`],
    ])("a file that names %s opens nothing, and that is said", async (_what, text) => {
      linked("second");
      const common = join(place.root, "repo", ".git");
      const other = join(place.root, "project");
      host(place.root, "git init -q project; cd project; mkdir keys; echo secret > keys/HEAD; echo secret > .git/secret");
      mkdirSync(join(place.root, "hostile"));
      writeFileSync(join(place.root, "hostile", ".git"), text(other, common));
      const end = await inside(join(place.root, "hostile"), `git log || true; cat ${other}/.git/secret ${other}/keys/HEAD ${common}/config || true; echo end`);
      expect(end.stderr).toContain("warder: git does not work in this run.");
      expect(end.stdout).toBe("end\n");
    });

    test("where the run rewrites the file, the next run goes by the person's", async () => {
      const feature = linked("feature");
      host(place.root, "git init -q project");
      await inside(feature, `echo gitdir: ${place.root}/project/.git > .git; echo b > b`);
      const applied = await changes(feature, "apply");
      expect(applied.stdout).toContain("left out  modified .git");
      expect(readFileSync(join(feature, ".git"), "utf8")).toBe(`gitdir: ${place.root}/repo/.git/worktrees/feature\n`);
    });

    test("what the policy says of the repository's path stands above all", async () => {
      const feature = linked("feature");
      const common = join(place.root, "repo", ".git");
      const stated = readFileSync(policy, "utf8");
      writeFileSync(policy, stated.replace('"**/hidden.txt"', `"${common}/**"`));
      const forbidden = await inside(feature, "git log || true");
      expect(forbidden.stderr).toContain(`warder: git does not work in this run: the policy forbids ${common}.`);
      writeFileSync(policy, stated.replace("forbidden:", `protected: ["${common}/**"], forbidden:`));
      const isProtected = await inside(feature, "git log --format=%s; git commit -q --allow-empty -m two && echo done || true");
      expect(isProtected).toMatchObject({ stdout: "one\n", stderr: expect.stringContaining("warder: git only reads in this run: the policy protects it") });
    });

    test.each([
      [
        "a submodule's checkout",
        "outer/sub",
        "git init -q outer; git -C outer -c protocol.file.allow=always submodule --quiet add ../repo sub; git -C outer commit -qm outer",
      ],
      [
        "a checkout with its repository elsewhere",
        "apart",
        'git clone -q --separate-git-dir=apart.git repo apart; git --git-dir apart.git config core.worktree "$PWD/apart"',
      ],
      ["a sparse worktree", "sparse", "git -C repo worktree add -q ../sparse -b sparse; git -C sparse sparse-checkout set none"],
    ])("a commit in %s lands", async (_what, directory, script) => {
      host(place.root, script);
      const workspace = join(place.root, directory);
      await inside(workspace, "mkdir -p none; echo b > none/b; git add none/b; git commit -qm two; git status --porcelain");
      expect(await changes(workspace, "apply")).toMatchObject({ exitCode: 0 });
      expect([log(workspace), isSound(workspace)]).toEqual(["two\none\n", ""]);
      expect(host(join(place.root, "repo"), "git fsck --strict --no-dangling 2>&1; git status --porcelain")).toBe("");
    });
  });
}
