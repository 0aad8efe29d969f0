import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import type { ApplyReport } from "../../../src/landing/files/report.ts";
import { type OverlaidWorkspace, overlayWorkspace } from "../../support/overlaid-workspace.ts";
import { runsRootTests } from "../../support/root.ts";

const GIT = "git -c user.name=A -c user.email=a@example.com -c commit.gpgsign=false -c init.defaultBranch=main";
const ENV = {
  ...process.env,
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "safe.directory",
  GIT_CONFIG_VALUE_0: "*",
};

let here: OverlaidWorkspace;
afterEach(async () => {
  await here.remove();
});

const shell = (directory: string, script: string): string =>
  execFileSync("bash", ["-ec", `git() { command ${GIT} "$@"; }; ${script}`], { cwd: directory, encoding: "utf8", env: ENV });
const inView = (script: string): string => shell(here.view, script);
const onHost = (script: string): string => shell(here.workspace, script);

/** A repository with two commits on `main`, a branch and packed objects. */
async function repository(init = "git init -q"): Promise<void> {
  here = await overlayWorkspace({}, (workspace) => {
    shell(workspace, `${init}; echo a > a; git add a; git commit -qm one; git branch side; git gc -q; echo b > b; git add b; git commit -qm two`);
  });
}

async function apply(paths: readonly string[] = []): Promise<ApplyReport> {
  const review = await here.review();
  const report = await review.apply({ mayWrite: () => null, paths });
  await review.close();
  return report;
}

const reasons = (report: ApplyReport): readonly string[] => [...new Set(report.refused.map((refusal) => refusal.reason))];
const head = (): string => onHost("git rev-parse HEAD").trim();
const caches = (): readonly string[] =>
  onHost("find .git/objects -type f")
    .split("\n")
    .filter((path) => /graph|bitmap|multi-pack/u.test(path));
const isWhole = (): void => void onHost("git fsck --strict --no-dangling");

/** Stores bytes as a loose object, under their own name or another. */
function store(type: string, content: Buffer, as?: string): string {
  const whole = Buffer.concat([Buffer.from(`${type} ${String(content.length)}\0`), content]);
  const id = as ?? createHash("sha1").update(whole).digest("hex");
  const directory = join(here.view, ".git/objects", id.slice(0, 2));
  execFileSync("mkdir", ["-p", directory]);
  writeFileSync(join(directory, id.slice(2)), deflateSync(whole));
  return id;
}

describe.runIf(runsRootTests)("what a run committed", () => {
  test.each([
    ["loose objects", "git init -q", ""],
    ["a pack", "git init -q", "git gc -q"],
    ["SHA-256", "git init -q --object-format=sha256", "git repack -adq"],
    [
      "an index of version 4, and a worktree of many files",
      "git init -q",
      "mkdir d; for i in $(seq 300); do echo $i > d/$i; done; git add d; git commit -qm many; git update-index --index-version 4",
    ],
  ])("lands as %s", async (_name, init, more) => {
    await repository(init);
    inView(
      `git checkout -qb work; echo c > c; git add c; git commit -qm three; git tag -a v1 -m v1; git branch -D side -q; echo staged > a; git add a; ${more}`,
    );
    const wanted = inView("git log --format=%H --all; git status --porcelain; git for-each-ref");
    const report = await apply();
    for (const reason of reasons(report)) expect(reason).toMatch(/only added|anew|steers git|name already|Its directory/u);
    expect(onHost("git log --format=%H --all; git status --porcelain; git for-each-ref")).toBe(wanted);
    isWhole();
  });

  test("lands all or nothing: with a damaged object no ref moves, and other files land", async () => {
    await repository();
    const before = head();
    inView("echo c > c; git add c; git commit -qm three");
    const id = inView("git rev-parse HEAD:c").trim();
    execFileSync("rm", ["-f", join(here.view, ".git/objects", id.slice(0, 2), id.slice(2))]);
    store("blob", Buffer.from("something else\n"), id);
    const report = await apply();
    expect(report.applied.map((change) => change.path)).toEqual(["c"]);
    expect(reasons(report)[0]).toMatch(/git refuses an object|not what its name says/u);
    expect(head()).toBe(before);
    isWhole();
  });

  test("does not land with a ref to what is not there", async () => {
    await repository();
    inView(`echo ${"1".repeat(40)} > .git/refs/heads/main`);
    expect(reasons(await apply())).toEqual([`The object ${"1".repeat(40)} is not there.`]);
    isWhole();
  });

  test("does not land with a commit whose parent or tree is not there", async () => {
    await repository();
    inView("echo c > c; git add c; git commit -qm three");
    const tree = inView("git rev-parse HEAD^{tree}").trim();
    execFileSync("rm", [join(here.view, ".git/objects", tree.slice(0, 2), tree.slice(2))]);
    expect(reasons(await apply(["."]))[0]).toMatch(/git cannot read the commit that HEAD names/u);
    isWhole();
  });

  test.each([
    [".git", "40000 .git\0"],
    ["..", "40000 ..\0"],
    [".GIT in another spelling", "40000 .giT\0"],
    ["a slash", "100644 a/b\0"],
  ])("does not land with a tree that has %s in it", async (_name, entry) => {
    await repository();
    const tree = entry.startsWith("4") ? store("tree", Buffer.alloc(0)) : store("blob", Buffer.from("x"));
    const evil = store("tree", Buffer.concat([Buffer.from(entry), Buffer.from(tree, "hex")]));
    const person = "A <a@example.com> 1700000000 +0000";
    const commit = store("commit", Buffer.from(`tree ${evil}\nparent ${head()}\nauthor ${person}\ncommitter ${person}\n\nx\n`));
    inView(`echo ${commit} > .git/refs/heads/main`);
    expect(reasons(await apply())[0]).toMatch(/git refuses an object/u);
    isWhole();
  });

  test("lands with a pack whose index says something else as git makes it anew", async () => {
    await repository();
    inView("echo c > c; git add c; git commit -qm three; git repack -q");
    const packs = join(here.view, ".git/objects/pack");
    const before = new Set(readdirSync(join(here.workspace, ".git/objects/pack")));
    const index = readdirSync(packs).find((name) => name.endsWith(".idx") && !before.has(name)) ?? "";
    const bytes = readFileSync(join(packs, index));
    // The offset of the first object: it would be found at the place of another.
    const count = bytes.readUInt32BE(8 + 255 * 4);
    const offsets = 8 + 256 * 4 + count * 24;
    bytes.copy(bytes, offsets, offsets + 4, offsets + 8);
    execFileSync("rm", ["-f", join(packs, index)]);
    writeFileSync(join(packs, index), bytes);
    for (const reason of reasons(await apply())) expect(reason).toMatch(/steers git|name already/u);
    expect(onHost("git log --format=%s -1")).toBe("three\n");
    isWhole();
  });

  test("never lands caches that git believes, nor the removal of objects", async () => {
    await repository();
    const before = caches();
    inView(
      "echo c > c; git add c; git commit -qm three; git repack -adq --write-bitmap-index; git commit-graph write --reachable; git multi-pack-index write; git prune-packed",
    );
    await apply();
    expect(caches()).toEqual(before);
    isWhole();
  });

  test.each([
    ["twice", "$old refs/heads/main $new refs/heads/main $old refs/heads/main"],
    ["not in order", "$old refs/heads/side $old refs/heads/main"],
    ["with a word behind it", "$old 'refs/heads/main x'"],
  ])("lands a list that has a ref %s as git reads it, which is what a review shows", async (_how, lines) => {
    await repository();
    inView(`old=$(git rev-parse HEAD); new=$(git commit-tree -p HEAD -m three HEAD^{tree}); rm -f .git/refs/heads/*
      printf '# pack-refs with: peeled fully-peeled sorted \n' > .git/packed-refs; printf '%s %s\n' ${lines} >> .git/packed-refs`);
    const before = onHost("git for-each-ref --format='%(refname) %(objectname)'");
    const review = await here.review();
    const flagged = await review.flagged();
    const shown = flagged.flatMap(({ refs = [] }) => refs.map(({ summary }) => summary));
    const report = await review.apply({ mayWrite: () => null });
    await review.close();
    const after = onHost("git for-each-ref --format='%(refname) %(objectname)'");
    const isShown = (line: string): boolean => after.includes(line) || shown.some((summary) => summary.startsWith(`${line.split(" ")[0] ?? ""}: `));
    expect(report.refused.length > 0 ? after === before : before.trim().split("\n").every(isShown)).toBe(true);
    isWhole();
  });

  test("does not land when somebody moved the same ref meanwhile, packed or not", async () => {
    for (const meanwhile of ["git commit -q --allow-empty -m theirs", "git pack-refs --all; git commit -q --allow-empty -m theirs; git pack-refs --all"]) {
      await repository();
      inView("echo c > c; git add c; git commit -qm three");
      onHost(meanwhile);
      const before = head();
      const report = await apply();
      expect(report.applied.map((change) => change.path)).toEqual(["c"]);
      expect(reasons(report).join()).toBe("Conflict: refs/heads/main was moved since the session began.");
      expect(head()).toBe(before);
      await here.remove();
    }
  });

  test("leaves what somebody staged meanwhile as it is, where the run did nothing", async () => {
    await repository();
    inView("echo c > c; git add c; git commit -qm three");
    onHost("echo mine > a; git add a");
    expect((await apply()).refused).toEqual([]);
    expect(onHost("git log --format=%s -1; git status --porcelain; git show :a")).toBe("three\nM  a\nmine\n");
  });

  test.each([
    ["hides changes", "git update-index --assume-unchanged a"],
    ["hides changes of what is not there", "git update-index --skip-worktree a"],
    ["shares another file", "git update-index --split-index"],
    ["is damaged", "printf x | dd of=.git/index bs=1 seek=30 conv=notrunc status=none"],
  ])("lands the entries alone of an index that %s", async (_name, script) => {
    await repository();
    inView(`echo c > c; git add c; ${script}`);
    expect((await apply()).refused).toEqual([]);
    expect(onHost("git ls-files -v; git status --porcelain; ls .git | grep -c sharedindex || true")).toBe("H a\nH b\nH c\nA  c\n0\n");
  });

  test.each([
    [
      "has a name that HFS+ takes for a repository",
      `git update-index --add --cacheinfo 100644,$(git rev-parse HEAD:a),$(printf '.g\\342\\200\\214it/x')`,
      /does not allow/u,
    ],
    ["names what is not there", `git update-index --add --cacheinfo 100644,${"1".repeat(40)},x`, /not there/u],
  ])("does not land with an index that %s", async (_name, script, reason) => {
    await repository();
    inView(script);
    expect(reasons(await apply()).join()).toMatch(reason);
  });

  test("with a secret in a commit lands only when the repository is named, and not because of one that was there before", async () => {
    const token = (letters: string): string => `ghp_${letters.repeat(9)}`;
    await repository();
    inView(`echo ${token("a1B2")} > c; git add c; git commit -qm three; rm c; git add c; git commit -qm four`);
    const review = await here.review();
    const held = await review.apply({ mayWrite: () => null, paths: ["**"] });
    expect(reasons(held).join()).toMatch(/A commit holds a GitHub token.*\.git is named/u);
    const landed = await review.apply({ mayWrite: () => null, paths: [".git"] });
    expect(landed.refused).toEqual([]);
    await review.close();
    isWhole();
    await here.remove();
    here = await overlayWorkspace({}, (workspace) => {
      shell(workspace, `git init -q; echo ${token("a1B2")} > c; git add c; git commit -qm one`);
    });
    inView("echo more >> c; git commit -qam two");
    expect((await apply()).refused).toEqual([]);
  });

  test("is checked without obeying what the workspace's repository configures", async () => {
    const canary = "/var/tmp/warder-canary-check";
    execFileSync("rm", ["-f", canary]);
    here = await overlayWorkspace({}, (workspace) => {
      shell(workspace, "git init -q; echo a > a; git add a; git commit -qm one");
      for (const key of ["core.fsmonitor", "core.alternateRefsCommand", "core.sshCommand", "core.pager", "uploadpack.packObjectsHook"])
        shell(workspace, `git config ${key} "touch ${canary}; false"`);
    });
    execFileSync("bash", ["-c", "git -c core.fsmonitor=false -c user.name=A -c user.email=a@b commit -q --allow-empty -m two"], { cwd: here.view, env: ENV });
    execFileSync("rm", ["-f", canary]);
    expect((await apply()).refused.map((refusal) => refusal.change.path)).toEqual([]);
    expect(existsSync(canary)).toBe(false);
    expect(onHost("git log -1 --format=%s; git reflog -1 --format=%gs")).toMatch(/^two\nwarder: run-/u);
  });
});
