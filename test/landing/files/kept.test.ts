import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import type { FlaggedChange } from "../../../src/landing/review/review.ts";
import { type OverlaidWorkspace, overlayWorkspace } from "../../support/overlaid-workspace.ts";
import { runsRootTests } from "../../support/root.ts";
import { builtProgram } from "../../sandbox/supervisor/process.ts";

let here: OverlaidWorkspace;
beforeAll(() => {
  builtProgram("warder-host");
});
afterEach(async () => {
  await here.remove();
});

const anything = { mayWrite: (): null => null };
const at = (path: string): string => join(here.workspace, path);

/** What a run changes over files that `prepare` made; a review shows it, and lands it, those of `paths` by name. */
async function landed(
  prepare: string,
  script: string,
  paths: readonly string[] = [],
): Promise<{ shown: readonly FlaggedChange[]; refused: readonly string[] }> {
  here = await overlayWorkspace({}, (workspace) => execFileSync("sh", ["-ec", prepare], { cwd: workspace }));
  execFileSync("sh", ["-ec", script], { cwd: here.view });
  const review = await here.review();
  const shown = await review.flagged();
  const { refused } = await review.apply({ ...anything, paths });
  await review.close();
  return { shown, refused: refused.map(({ change, reason }) => `${change.path}: ${reason}`) };
}

const attribute = (path: string, name: string): string =>
  execFileSync("getfattr", ["--only-values", "-e", "hex", "-n", name, "--absolute-names", at(path)], { encoding: "buffer" }).toString("hex");

/** acl(5) as the kernel stores it: user::rw-, user:1234:rw-, group::---, mask::rw-, other::---. */
const LIST = "0x0200000001000600ffffffff02000600d204000004000000ffffffff10000600ffffffff20000000ffffffff";
const LISTED = LIST.slice(2);

describe.runIf(runsRootTests)("a file that is there keeps what it had", () => {
  test.each([
    ["is written to", "echo two > a.txt"],
    ["is replaced by a new one", "echo two > new; chmod 660 new; mv new a.txt"],
  ])("its access control list and its attributes, where it %s", async (_how, script) => {
    const { shown, refused } = await landed(
      `echo one > a.txt; setfattr -n system.posix_acl_access -v ${LIST} a.txt; setfattr -n user.origin -v here a.txt`,
      script,
    );
    expect([refused, readFileSync(at("a.txt"), "utf8")]).toEqual([[], "two\n"]);
    expect([attribute("a.txt", "system.posix_acl_access"), attribute("a.txt", "user.origin")]).toEqual([LISTED, Buffer.from("here").toString("hex")]);
    expect(statSync(at("a.txt")).mode & 0o777).toBe(0o660);
    expect(shown.flatMap(({ notes = [] }) => notes).toSorted()).toEqual(
      script.includes("mv") ? ["the access control list is gone, and stays as it was", "the attribute user.origin is gone, and stays as it was"] : [],
    );
  });

  test("and gets none that its directory gives to what is made there, nor any of the run's", async () => {
    const list = LIST.replace("d2040000", "d3040000");
    const { shown, refused } = await landed(
      `mkdir d; echo one > d/a.txt; chmod 640 d/a.txt; setfattr -n system.posix_acl_default -v ${list} d`,
      "echo two > d/a.txt; setfattr -n user.mark -v run d/a.txt; echo new > d/new.txt",
    );
    expect([refused, readFileSync(at("d/a.txt"), "utf8"), statSync(at("d/a.txt")).mode & 0o777]).toEqual([[], "two\n", 0o640]);
    expect(() => attribute("d/a.txt", "system.posix_acl_access")).toThrow("No such attribute");
    expect(() => attribute("d/a.txt", "user.mark")).toThrow("No such attribute");
    expect(attribute("d/new.txt", "system.posix_acl_access")).toContain("d3040000");
    expect(shown.find(({ path }) => path === "d/a.txt")?.notes).toEqual(["the attribute user.mark is new, and does not land"]);
  });

  test("or waits, with the reason, where that cannot be kept", async () => {
    const { refused } = await landed(
      "cp /bin/true tool; setfattr -n security.capability -v 0x0100000200200000000000000000000000000000 tool; echo one > a.txt",
      "echo x >> tool; echo two > a.txt",
    );
    expect(refused).toEqual([expect.stringMatching(/^tool: .*security\.capability, which a changed file cannot keep/u)]);
    expect([readFileSync(at("tool")).equals(readFileSync("/bin/true")), readFileSync(at("a.txt"), "utf8")]).toEqual([true, "two\n"]);
  });

  test("and lands with the time of its landing, whatever time the run gave it", async () => {
    const beforeMs = Date.now() - 2000;
    await landed("echo one > a.c; touch -d 2001-01-01 a.c", "echo two > a.c; touch -d 1999-01-01 a.c; echo new > b.c; touch -d 2099-01-01 b.c");
    for (const name of ["a.c", "b.c"]) {
      expect(statSync(at(name)).mtimeMs).toBeGreaterThan(beforeMs);
      expect(statSync(at(name)).mtimeMs).toBeLessThan(Date.now() + 2000);
    }
  });

  test("its mode where the run did not change it, and a wider one is shown", async () => {
    const { shown } = await landed("echo one > a.txt; chmod 600 a.txt; echo one > b.txt; chmod 600 b.txt", "echo two > a.txt; echo two > new; mv new b.txt");
    expect(shown).toMatchObject([
      { path: "a.txt", flags: [] },
      { path: "b.txt", flags: [{ kind: "wider-mode" }], notes: ["mode 600 → 644"] },
    ]);
    expect([statSync(at("a.txt")).mode & 0o777, statSync(at("b.txt")).mode & 0o777]).toEqual([0o600, 0o644]);
  });
});

describe.runIf(runsRootTests)("nothing is taken from somebody else", () => {
  test("a file of another user changes or goes only when its path is named, and keeps its owner; what holds it stays with it", async () => {
    const prepare = "chown 1000:1000 .; for f in a b c; do echo one > $f.txt; done; mkdir d; echo one > d/x; chown 1000:1000 d a.txt";
    const { shown, refused } = await landed(prepare, "echo two > a.txt; echo two > b.txt; rm c.txt; rm -r d", ["b.txt", "a.txt", "c*", "d"]);
    expect(shown.flatMap(({ path, flags }) => (flags.some(({ kind }) => kind === "other-owner") ? [path] : []))).toEqual(["b.txt", "c.txt", "d/x"]);
    expect(refused).toEqual([
      expect.stringMatching(/^c\.txt: It belongs to another user \(0\)/u),
      expect.stringMatching(/^d: d\/x: It belongs to another user/u),
      expect.stringMatching(/^d\/x: /u),
    ]);
    expect([readFileSync(at("b.txt"), "utf8"), statSync(at("b.txt")).uid, readFileSync(at("a.txt"), "utf8"), statSync(at("a.txt")).uid]).toEqual([
      "two\n",
      0,
      "two\n",
      1000,
    ]);
    expect([existsSync(at("c.txt")), existsSync(at("d/x"))]).toEqual([true, true]);
  });

  test("what lies on another mount below the workspace stays, also when its path is named", async () => {
    let mounted = "";
    here = await overlayWorkspace({}, (workspace) => {
      mounted = join(workspace, "data");
      mkdirSync(mounted);
      execFileSync("mount", ["-t", "tmpfs", "none", mounted]);
      writeFileSync(join(mounted, "kept.txt"), "theirs\n");
    });
    try {
      execFileSync("sh", ["-ec", "ls data; echo run > data/kept.txt; echo run > data/new.txt; echo ok > ok.txt"], { cwd: here.view });
      const review = await here.review();
      const shown = await review.flagged();
      expect(shown.map(({ path, flags }) => `${path} ${flags.map(({ kind }) => kind).join(" ")}`)).toEqual([
        "data mount",
        "data/kept.txt mount",
        "data/new.txt mount",
        "ok.txt ",
      ]);
      const { refused } = await review.apply({ ...anything, paths: ["data/kept.txt", "data/new.txt", "ok.txt"] });
      expect(refused.map(({ change, reason }) => `${change.path} ${reason}`)).toEqual([
        expect.stringMatching(/^data\/kept\.txt Another file system/u),
        expect.stringMatching(/^data\/new\.txt Another file system/u),
      ]);
      await review.close();
      expect([readFileSync(join(mounted, "kept.txt"), "utf8"), existsSync(join(mounted, "new.txt")), readFileSync(at("ok.txt"), "utf8")]).toEqual([
        "theirs\n",
        false,
        "ok\n",
      ]);
    } finally {
      execFileSync("umount", ["-l", mounted]);
    }
  });

  test("a program that applies goes behind no mount, whatever it was told", async () => {
    here = await overlayWorkspace();
    const [root, upper, mounted] = ["root", "upper", "root/data"].map((name) => `${here.runDirectory}/${name}`);
    for (const directory of [root, upper, mounted, `${upper ?? ""}/data`]) mkdirSync(directory ?? "");
    writeFileSync(`${upper ?? ""}/data/x`, "x");
    execFileSync("mount", ["--bind", mounted ?? "", mounted ?? ""]);
    try {
      const input = ["put", "data/x", "any", "0644", "-1", "-1", "", ""].join("\0");
      const answer = execFileSync(builtProgram("warder-host"), ["apply", root ?? "", upper ?? ""], { input, encoding: "utf8" });
      expect(answer).toBe("conflict another file system is mounted there\n");
    } finally {
      execFileSync("umount", ["-l", mounted ?? ""]);
    }
  });

  test("a file that the run gave several names lands as several files, and the review says so", async () => {
    const { shown, refused } = await landed("echo one > a.txt; echo one > c.txt", "echo two > a.txt; ln a.txt b.txt; echo two > c.txt");
    expect(refused).toEqual([]);
    const note = "one file under 2 names in the run (hard links): each lands as a file of its own";
    expect(shown.map(({ path, notes }) => [path, notes])).toEqual([
      ["a.txt", [note]],
      ["b.txt", [note]],
      ["c.txt", undefined],
    ]);
    expect([statSync(at("a.txt")).nlink, statSync(at("b.txt")).nlink, readFileSync(at("b.txt"), "utf8")]).toEqual([1, 1, "two\n"]);
  });

  test("a file of several names is parted only by name", async () => {
    const prepare = "echo one > a.txt; ln a.txt b.txt";
    const { refused } = await landed(prepare, "echo two > a.txt");
    expect(refused).toEqual([expect.stringMatching(/^a\.txt: It is one file under 2 names/u)]);
    expect(statSync(at("a.txt")).nlink).toBe(2);
    await here.remove();
    expect((await landed(prepare, "echo two > a.txt", ["a.txt"])).refused).toEqual([]);
    expect([readFileSync(at("a.txt"), "utf8"), readFileSync(at("b.txt"), "utf8")]).toEqual(["two\n", "one\n"]);
  });
});
