import { execFileSync } from "node:child_process";
import { afterEach, describe, expect, test } from "vitest";
import type { FlaggedChange } from "../../../src/landing/review/ranks.ts";
import { type OverlaidWorkspace, overlayWorkspace } from "../../support/overlaid-workspace.ts";
import { runsRootTests } from "../../support/root.ts";

let here: OverlaidWorkspace;
afterEach(async () => {
  await here.remove();
});

const SETTINGS = { "safe.directory": "*", "user.name": "a", "user.email": "a@example.com", "init.defaultBranch": "main", "gc.auto": "0" };
const env = {
  PATH: process.env["PATH"],
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_COUNT: String(Object.keys(SETTINGS).length),
  ...Object.fromEntries(
    Object.entries(SETTINGS).flatMap(([key, value], at) => [
      [`GIT_CONFIG_KEY_${String(at)}`, key],
      [`GIT_CONFIG_VALUE_${String(at)}`, value],
    ]),
  ),
};

/** A repository with one commit of these files, and what a run does to it. */
async function committed(files: Readonly<Record<string, string>>, script: string): Promise<readonly FlaggedChange[]> {
  here = await overlayWorkspace(files, (workspace) => execFileSync("sh", ["-ec", "git init -q; git add .; git commit -qm one"], { cwd: workspace, env }));
  execFileSync("sh", ["-ec", script], { cwd: here.view, env });
  const review = await here.review();
  const flagged = await review.flagged();
  await review.close();
  return flagged;
}

const at = (changes: readonly FlaggedChange[], path: string): FlaggedChange | undefined => changes.find((change) => change.path === path);
/** Without that the branch is checked out, which each of these is. */
const reasons = (changes: readonly FlaggedChange[], path: string): readonly string[] =>
  (at(changes, path)?.flags ?? []).filter(({ kind }) => kind !== "checkout").map(({ kind, reason }) => `${kind}: ${reason}`);

const FILES = { "a.txt": "a\n", ".github/workflows/ci.yml": "good\n", "package.json": '{"name":"a"}' };
/** Commits a tree that differs from the files. */
const hidden = (path: string, content: string): string => `
  blob=$(printf '${content}' | git hash-object -w --stdin)
  export GIT_INDEX_FILE=$PWD/.git/other; git read-tree HEAD; git update-index --add --cacheinfo 100644,$blob,${path}; tree=$(git write-tree)
  rm $GIT_INDEX_FILE; unset GIT_INDEX_FILE; commit=$(git commit-tree -p HEAD -m 'Fix typo' $tree)`;

describe.runIf(runsRootTests)("what a run committed is shown with the ref that names it", () => {
  test("as the flags that the files would have, and as other files than those beside it", async () => {
    const changes = await committed(FILES, `${hidden(".github/workflows/ci.yml", "evil")}; git update-ref refs/heads/main $commit`);
    expect(reasons(changes, ".git/refs/heads/main")).toEqual([
      expect.stringMatching(/^ci-workflow: refs\/heads\/main holds \.github\/workflows\/ci\.yml: /u),
      expect.stringMatching(/^commit: refs\/heads\/main holds another \.github\/workflows\/ci\.yml than the workspace will/u),
    ]);
    const review = await here.review();
    expect(await review.diff(100_000)).toMatch(
      /refs\/heads\/main: [0-9a-f]{12} → [0-9a-f]{12}, 1 file differs\n {4}[0-9a-f]{7} Fix typo\n {4}M \.github\/workflows\/ci\.yml\n/u,
    );
    await review.close();
  });

  test("by the subjects of its commits, and by whether the branch is checked out", async () => {
    const script = `for n in 1 2 3 4 5 6 7 8 9 10 11 12; do git commit -q --allow-empty -m "Step $n"; done; printf 'A\\033[2J\\r%0200d\\n\\nbody' 0 | git commit -q --allow-empty -F -
      git branch other HEAD~12; git tag -f v1 HEAD~13`;
    const changes = await committed(FILES, script);
    const commits = (path: string): readonly string[] => (at(changes, path)?.refs?.[0]?.commits ?? []).map((line) => line.replace(/^[0-9a-f]{7} /u, "ID "));
    expect(commits(".git/refs/heads/main")).toEqual([
      expect.stringMatching(/^ID A\\u\{1b\}\[2J\\u\{d\}0{80,}…$/u),
      ...Array.from({ length: 9 }, (_each, back) => `ID Step ${String(12 - back)}`),
      "and 3 commits more",
    ]);
    expect(commits(".git/refs/heads/other")).toEqual(["ID Step 1"]);
    const checkout = (path: string) => at(changes, path)?.flags.filter(({ kind }) => kind === "checkout");
    expect(checkout(".git/refs/heads/main")).toEqual([{ kind: "checkout", reason: "It moves main, the branch that is checked out here." }]);
    expect(checkout(".git/refs/heads/other")).toEqual([]);
    await here.remove();
    const switched = await committed(FILES, "git commit -q --allow-empty -m two; git checkout -q -b next HEAD~1");
    expect(at(switched, ".git/HEAD")?.flags).toEqual([{ kind: "checkout", reason: "It checks out next here." }]);
  });

  test("with the commits that a ref no longer holds", async () => {
    const changes = await committed(FILES, "git commit -q --amend -m other");
    expect(at(changes, ".git/refs/heads/main")?.refs?.[0]?.commits).toEqual([
      expect.stringMatching(/^[0-9a-f]{7} other$/u),
      "1 commit less, which it held before",
    ]);
  });

  test("without a flag where it is what lies beside it", async () => {
    const changes = await committed(FILES, "echo b >> a.txt; ln -s a.txt l; echo n > n.txt; git add .; git commit -qm two");
    expect(reasons(changes, ".git/refs/heads/main")).toEqual([]);
    expect(reasons(changes, ".git/index")).toEqual([]);
    expect(at(changes, ".git/refs/heads/main")?.refs).toEqual([
      { summary: expect.stringMatching(/, 3 files differ$/u), commits: [expect.stringMatching(/^[0-9a-f]{7} two$/u)], files: ["M a.txt", "A l", "A n.txt"] },
    ]);
    expect(at(changes, ".git/index")?.refs).toBeUndefined();
  });

  test("by what changed in a package's manifest, and by new programs", async () => {
    const script = `echo '{"name":"b"}' > package.json; echo x > tool; chmod +x tool; git add .; git commit -qm two; ${hidden("package.json", '{"scripts":{"prepare":"x"}}')}
      git update-ref refs/heads/other $commit`;
    const changes = await committed(FILES, script);
    // What lies beside the commit just so has its flags there, and once.
    expect([reasons(changes, ".git/refs/heads/main"), reasons(changes, "tool")]).toEqual([[], [expect.stringMatching(/^executable: /u)]]);
    expect(reasons(changes, ".git/refs/heads/other")).toEqual([expect.stringMatching(/^package-script: .*changed: scripts/u)]);
  });

  test("for tags, the stash, refs of remotes, packed refs and another HEAD, too", async () => {
    const script = `${hidden("Makefile", "evil")}; for ref in tags/v1 remotes/origin/main stash; do git update-ref refs/$ref $commit; done
      git update-ref refs/heads/packed $commit; git pack-refs --all; git update-ref refs/tags/v2 $commit; git symbolic-ref HEAD refs/heads/packed`;
    const changes = await committed(FILES, script);
    const summaries = changes.flatMap(({ refs = [] }) => refs.map(({ summary }) => summary.replace(/:.*/u, "")));
    expect(summaries.toSorted()).toEqual(["HEAD (ref", "refs/heads/packed", "refs/remotes/origin/main", "refs/stash", "refs/tags/v1", "refs/tags/v2"]);
    expect(reasons(changes, ".git/refs/tags/v2")).toEqual([
      expect.stringMatching(/^build-file: refs\/tags\/v2 holds Makefile: /u),
      expect.stringMatching(/^commit/u),
    ]);
    expect(reasons(changes, ".git/packed-refs").filter((reason) => reason.startsWith("build-file: refs/stash holds Makefile"))).toHaveLength(1);
  });

  test("and what the index holds that is neither committed nor in the file", async () => {
    const changes = await committed(FILES, "echo staged > a.txt; git add a.txt; echo another > a.txt");
    expect(reasons(changes, ".git/index")).toEqual([expect.stringMatching(/^commit: a\.txt is staged with another content/u)]);
  });

  test("or as not compared, where more refs move than are looked at", async () => {
    const changes = await committed(FILES, `${hidden("Makefile", "evil")}; for n in $(seq 21); do git update-ref refs/heads/b$n $commit; done`);
    const kinds = changes.filter(({ path }) => path.startsWith(".git/refs/heads/b")).map(({ flags }) => flags[0]?.kind ?? "");
    expect(kinds.toSorted()).toEqual([...Array.from({ length: 20 }, () => "build-file"), "commit"]);
  });

  test("in a moment, however many refs a list has", async () => {
    const changes = await committed(FILES, 'id=$(git rev-parse HEAD); seq -f "$id refs/heads/b%04.0f" 1500 > .git/packed-refs');
    expect(at(changes, ".git/packed-refs")?.refs).toHaveLength(1000);
    expect(reasons(changes, ".git/packed-refs")[0]).toBe("commit: 500 refs more move: so many are not looked at.");
  });

  test("also of HEAD in a list of packed refs whose first line names its branch", async () => {
    const script = `${hidden("a.txt", "other")}; rm .git/refs/heads/main
      printf '# pack-refs with: refs/heads/main\n%s refs/heads/main\n' $commit > .git/packed-refs`;
    expect(reasons(await committed(FILES, script), ".git/refs/heads/main")).toEqual([
      expect.stringMatching(/^commit: refs\/heads\/main holds another a\.txt/u),
    ]);
  });

  test("and of HEAD whose branch is a name for another one, which does not land itself", async () => {
    const script = `${hidden("a.txt", "other")}; echo $commit > .git/refs/heads/other; echo 'ref: refs/heads/other' > .git/refs/heads/main`;
    const changes = await committed(FILES, script);
    expect(reasons(changes, ".git/refs/heads/other")).toEqual([expect.stringMatching(/^commit: refs\/heads\/other holds another a\.txt/u)]);
    expect(reasons(changes, ".git/refs/heads/main")).toEqual(["commit: refs/heads/main names another ref: that does not land."]);
  });

  test("and nothing of commits that a branch holds", async () => {
    const changes = await committed(
      FILES,
      "for n in 1 2 3; do echo $n > n.txt; git add .; git commit -qm $n; done; git checkout -q -b other; git checkout -q -",
    );
    expect(changes.filter(({ path, refs, flags }) => path.startsWith(".git/logs/") && (refs !== undefined || flags.length > 0))).toEqual([]);
  });

  test("with its links and submodules, on whatever branch", async () => {
    const script = `git checkout -q -b work; ln -s ../../../root/.ssh keys; git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sub; git add keys
      git commit -qm links; git checkout -qf main`;
    const found = reasons(await committed(FILES, script), ".git/refs/heads/work");
    expect(found).toContainEqual(
      expect.stringMatching(/^link: refs\/heads\/work holds keys: The link points out of the workspace\. \(\.\.\/\.\.\/\.\.\/root\/\.ssh\)/u),
    );
    expect(found).toContainEqual(expect.stringMatching(/^commit: refs\/heads\/work holds sub: It is a submodule at /u));
  });

  test("as a link with the text of a file, where it is no link beside it", async () => {
    const script = `printf b.txt > a.txt; git update-index --add --cacheinfo 120000,$(git hash-object -w a.txt),a.txt; git commit -qm two`;
    expect(reasons(await committed(FILES, script), ".git/refs/heads/main")).toContainEqual(
      expect.stringMatching(/^commit: refs\/heads\/main holds another a\.txt/u),
    );
  });

  test("and the index alone: a deletion, a mode and a submodule are each a line", async () => {
    const script = `git rm -q --cached package.json; git update-index --chmod=+x a.txt; git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sub`;
    const changes = await committed(FILES, script);
    expect(at(changes, ".git/index")?.refs).toEqual([
      { summary: "staged, not committed: 3 files", commits: [], files: ["M a.txt (100644 → 100755)", "D package.json", "A sub"] },
    ]);
    expect(reasons(changes, ".git/index").map((reason) => reason.replace(/ at .*/u, ""))).toEqual([
      "executable: the index holds a.txt: It is a new program: whoever starts it runs what the run wrote.",
      "commit: the index holds sub: It is a submodule",
      "commit: package.json is there, and its deletion is staged: the next commit deletes it.",
    ]);
  });

  test("or is said not to be shown where git cannot read its refs, beside all else", async () => {
    const changes = await committed(FILES, "echo b > a.txt; echo nonsense > .git/packed-refs; echo more > new.txt");
    expect(changes.filter(({ path }) => !path.startsWith(".git")).map(({ path }) => path)).toEqual(["a.txt", "new.txt"]);
    expect(reasons(changes, ".git/packed-refs")).toEqual([expect.stringMatching(/^commit: What is committed cannot be shown: .*unexpected line/u)]);
  });

  test("the worst first, and of every kind one, however many there are", async () => {
    const script =
      "mkdir -p a; for i in $(seq 60); do echo x > a/.file$i; done; mkdir -p z/.github/workflows; for i in 1 2 3; do echo evil > z/.github/workflows/evil$i.yml; done; git add .; git commit -qm two";
    const changes = await committed(FILES, `${script}; git rm -rq --cached a z; rm -r a z`);
    const shown = reasons(changes, ".git/refs/heads/main");
    expect(shown.length).toBeLessThan(70);
    expect(shown.slice(0, 3).map((reason) => /^ci-workflow: .*(evil\d)\.yml/u.exec(reason)?.[1])).toEqual(["evil1", "evil2", "evil3"]);
    expect(shown).toContainEqual(expect.stringMatching(/^dot-file: /u));
  });

  test("and a run that names what cannot be looked up keeps nobody from the rest", async () => {
    const script = `${hidden("Makefile", "evil")}; git update-ref refs/heads/other $commit
      printf "100644 ..\\0%s" "$(printf 12345678901234567890)" > raw; long=$(head -c 300 /dev/zero | tr '\\0' d); printf "100644 $long\\0%s" 12345678901234567890 >> raw
      tree=$(git hash-object -t tree --literally -w raw); rm raw; git update-ref refs/heads/main $(git commit-tree -p HEAD -m two $tree)
      git update-index --add --cacheinfo 100644,$blob,$long`;
    const changes = await committed(FILES, script);
    expect(reasons(changes, ".git/refs/heads/other")[0]).toMatch(/^build-file: refs\/heads\/other holds Makefile/u);
    expect(reasons(changes, ".git/refs/heads/main")).toEqual([
      expect.stringMatching(/^commit: refs\/heads\/main holds another \.\. than/u),
      expect.stringMatching(/^commit: refs\/heads\/main holds another d{300} than/u),
      expect.stringMatching(/^dot-file: refs\/heads\/main holds \.\.: /u),
    ]);
    expect(reasons(changes, ".git/index")).toContainEqual(expect.stringMatching(/^commit: d{300} is staged/u));
  });
});
