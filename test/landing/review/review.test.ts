import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { workspacePaths } from "../../../src/sandbox/workspace/record.ts";
import { openChanges } from "../../../src/landing/review/review.ts";
import { type OverlaidWorkspace, overlayWorkspace } from "../../support/overlaid-workspace.ts";
import { runsRootTests } from "../../support/root.ts";

let here: OverlaidWorkspace;
afterEach(async () => {
  await here.remove();
});

const anything = { mayWrite: (): null => null };
const TOKEN = `ghp_${"a1B2".repeat(9)}`;

async function changed(files: Readonly<Record<string, string>>, script: string): Promise<void> {
  here = await overlayWorkspace(files);
  execFileSync("sh", ["-ec", script], { cwd: here.view });
}

const at = (path: string): string => `${here.workspace}/${path}`;

describe.runIf(runsRootTests)("a review of a part of the changes", () => {
  const FILES = { "a.txt": "a\n", "b.txt": "b\n", "d/e/f.txt": "f\n", "d/g.txt": "g\n", "turned/in.txt": "in\n" };
  const SCRIPT = "echo A > a.txt; echo B > b.txt; rm -r d; rm -r turned; echo file > turned; mkdir -p n/m; echo c > n/m/c.txt; echo d > n/d.txt; chmod 700 n";

  test("lands what is named, with the directories that it needs; the rest stays", async () => {
    await changed(FILES, SCRIPT);
    const review = await here.review();
    const report = await review.apply({ ...anything, paths: ["a.txt", "n/m/*", "d/e"] });
    expect(report.refused).toEqual([]);
    expect([readFileSync(at("a.txt"), "utf8"), readFileSync(at("b.txt"), "utf8"), readFileSync(at("n/m/c.txt"), "utf8")]).toEqual(["A\n", "b\n", "c\n"]);
    expect([existsSync(at("d/e")), existsSync(at("d/g.txt")), existsSync(at("n/d.txt"))]).toEqual([false, true, false]);
    expect(review.list().map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      "modified b.txt",
      "deleted d",
      "deleted d/g.txt",
      "added n/d.txt",
      "deleted turned",
      "deleted turned/in.txt",
      "added turned",
    ]);
    expect((await review.apply(anything)).refused).toEqual([]);
    expect([readFileSync(at("turned"), "utf8"), existsSync(at("d"))]).toEqual(["file\n", false]);
    await review.close();
    expect(await openChanges(here.runDirectory)).toBeNull();
  });

  test.each([
    ["a link's target is no name", `ln -s ${"a".repeat(300)} l`, "link"],
    [
      "a manifest is nested without end",
      `{ printf '{"x":'; printf '[%.0s' $(seq 200000); printf ']%.0s' $(seq 200000); printf '}'; } > package.json`,
      "package-script",
    ],
  ])("shows and lands everything else when %s", async (_what, script, kind) => {
    await changed(FILES, `echo A > a.txt; ${script}; echo Z > z.txt`);
    const review = await here.review();
    expect((await review.flagged()).flatMap(({ flags }) => flags.map((flag) => flag.kind))).toEqual([kind]);
    expect(await review.diff(1_000_000)).toContain("+Z");
    expect((await review.apply(anything)).applied.map(({ path }) => path)).toEqual(expect.arrayContaining(["a.txt", "z.txt"]));
    await review.close();
  });

  test("keeps a directory that the run replaced by what never lands, but for what somebody names", async () => {
    await changed(FILES, "rm -r d; ln -s /nonexistent/away d");
    const review = await here.review();
    expect((await review.apply(anything)).applied).toEqual([]);
    expect([existsSync(at("d/e/f.txt")), existsSync(at("d/g.txt"))]).toEqual([true, true]);
    const report = await review.apply({ ...anything, paths: ["d/e"] });
    expect(report.applied.map(({ kind, path }) => `${kind} ${path}`)).toEqual(["deleted d/e", "deleted d/e/f.txt"]);
    expect([existsSync(at("d/e")), existsSync(at("d/g.txt"))]).toEqual([false, true]);
    await review.close();
  });

  test("throws away what is named, also a part of what was deleted or replaced; the workspace is not touched", async () => {
    await changed(FILES, SCRIPT);
    const before = execFileSync("find", [".", "-printf", "%p %T@ %C@ %i\n"], { cwd: here.workspace, encoding: "utf8" });
    const review = await here.review();
    await review.discard(["a.txt", "n/m", "d/e/f.txt", "turned/in.txt"]);
    expect(review.list().map(({ kind, path }) => `${kind} ${path}`)).toEqual(["modified b.txt", "deleted d/g.txt", "added n", "added n/d.txt"]);
    expect(execFileSync("find", [".", "-printf", "%p %T@ %C@ %i\n"], { cwd: here.workspace, encoding: "utf8" })).toBe(before);
    await review.close();
    const again = await openChanges(here.runDirectory);
    expect((await again?.apply(anything))?.refused).toEqual([]);
    await again?.close();
    expect([readFileSync(at("a.txt"), "utf8"), existsSync(at("d/e/f.txt")), existsSync(at("d/g.txt")), existsSync(at("n/m"))]).toEqual([
      "a\n",
      true,
      false,
      false,
    ]);
    expect(statSync(at("n")).mode & 0o777).toBe(0o700);
  });

  test("throws away what hides a file in a directory that the run made anew: it has its owner and mode again", async () => {
    here = await overlayWorkspace({}, (workspace) => {
      execFileSync("sh", ["-c", "mkdir d; echo a > d/a; chown 1234:1235 d/a; chmod 4750 d/a"], { cwd: workspace });
    });
    execFileSync("sh", ["-c", "rm -r d; mkdir d; echo n > d/n"], { cwd: here.view });
    const review = await here.review();
    await review.discard(["d/a"]);
    expect(review.list().map(({ kind, path }) => `${kind} ${path}`)).toEqual(["added d/n"]);
    const { uid, gid, mode } = statSync(join(workspacePaths(here.runDirectory).upper, "d/a"));
    expect([uid, gid, mode & 0o7777]).toEqual([1234, 1235, 0o4750]);
    await review.close();
  });

  test("throws away names that are not UTF-8, in a directory that is kept and in one that goes", async () => {
    await changed(FILES, "printf x > \"$(printf 'd/\\377')\"; mkdir new; printf x > \"$(printf 'new/\\376a')\"; echo y > d/y; chmod 4755 d/g.txt; echo z > z");
    const review = await here.review();
    await review.discard(["d", "new"]);
    expect(review.list().map((change) => change.path)).toEqual(["z"]);
    await review.discard();
    await review.close();
    expect(await openChanges(here.runDirectory)).toBeNull();
  });

  test("throws away as a whole what is more than can be listed, and says that this is the way", async () => {
    await changed(FILES, SCRIPT);
    const review = await here.review({ maxListBytes: 64 });
    expect(() => review.list()).toThrow(/more changes than can be listed.*warder changes discard RUN/u);
    await expect(review.apply(anything)).rejects.toMatchObject({ code: "usage" });
    await review.close();
    const again = await here.review({ maxListBytes: 64 });
    expect(await again.discard()).toBeNull();
    await again.close();
    expect([await openChanges(here.runDirectory), readFileSync(at("a.txt"), "utf8")]).toEqual([null, "a\n"]);
  });

  test("says which path matches nothing, and does nothing then", async () => {
    await changed(FILES, SCRIPT);
    const review = await here.review();
    await expect(review.apply({ ...anything, paths: ["a.txt", "absent"] })).rejects.toMatchObject({
      code: "usage",
      message: expect.stringContaining("absent"),
    });
    expect(readFileSync(at("a.txt"), "utf8")).toBe("a\n");
    await review.close();
  });

  test("lands a secret only when its own path is named", async () => {
    await changed({}, `mkdir d; echo '${TOKEN}' > d/s.txt; echo fine > d/t.txt`);
    const review = await here.review();
    for (const paths of [[], ["d"], ["d/*"]])
      expect((await review.apply({ ...anything, paths })).refused.map(({ change }) => change.path)).toEqual(["d/s.txt"]);
    expect([existsSync(at("d/s.txt")), existsSync(at("d/t.txt"))]).toEqual([false, true]);
    const [refused] = (await review.apply(anything)).refused;
    expect(refused?.reason).toMatch(/GitHub token.*named/u);
    expect(JSON.stringify(await review.flagged())).not.toContain(TOKEN);
    expect((await review.apply({ ...anything, paths: ["./d/s.txt"] })).refused).toEqual([]);
    await review.close();
    expect(readFileSync(at("d/s.txt"), "utf8")).toBe(`${TOKEN}\n`);
  });

  test("lands a file of holes only when its own path is named", async () => {
    await changed({}, "truncate -s 80M hole; echo fine > t.txt");
    const review = await here.review();
    const { refused } = await review.apply(anything);
    expect(refused).toMatchObject([{ change: { path: "hole" }, reason: expect.stringMatching(/80 MiB.*named/u) }]);
    expect([existsSync(at("hole")), existsSync(at("t.txt"))]).toEqual([false, true]);
    expect((await review.apply({ ...anything, paths: ["hole"] })).refused).toEqual([]);
    await review.close();
    expect(statSync(at("hole"))).toMatchObject({ size: 80 * 1024 ** 2, blocks: 0 });
  });
});
