import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { openApplyProgram } from "../../../src/sandbox/workspace/changes/apply-program.ts";
import { mountsBelow } from "../../../src/sandbox/workspace/mounts/directories.ts";
import { beforeOf, layersIdOf, openJournal } from "../../../src/sandbox/workspace/changes/journal.ts";
import { openTree, statEntry } from "../../../src/sandbox/workspace/files/tree.ts";
import { workspacePaths } from "../../../src/sandbox/workspace/record.ts";
import { openChanges } from "../../../src/landing/review/review.ts";
import { type OverlaidWorkspace, overlayWorkspace } from "../../support/overlaid-workspace.ts";
import { runsRootTests } from "../../support/root.ts";
import { once } from "../../support/until.ts";

const PROGRAM = join(import.meta.dirname, "../../support/programs/apply-changes.ts");
const anything = { mayWrite: (): null => null };

let here: OverlaidWorkspace;
afterEach(async () => {
  await here.remove();
});

const at = (path: string): string => `${here.workspace}/${path}`;
/** The journal of a landing that somebody ends. */
const openInterrupted = (): ReturnType<typeof openJournal> => {
  const { undo, layersId } = workspacePaths(here.runDirectory);
  return openJournal({ undo, states: [] }, { what: "landing", atMs: Date.now(), layers: layersIdOf(layersId) });
};
const beforeAt = (path: string): ReturnType<typeof beforeOf> => {
  const root = openTree(here.workspace);
  const before = beforeOf(root, path, statEntry(root, path), undefined);
  closeSync(root);
  return before;
};
const inView = (script: string): void => void execFileSync("sh", ["-ec", script], { cwd: here.view });

describe.runIf(runsRootTests)("landing that is interrupted", () => {
  test("completes when it is called again, and removes what was not in place yet", async () => {
    here = await overlayWorkspace({ a: "old", "turned/in": "x", gone: "x" });
    inView("echo new > a; rm -r turned; echo file > turned; rm gone; mkdir d; echo n > d/n");
    // As it is after a kill: a file that took the place of a directory is on its way, one is landed, the manifest knows nothing of it.
    const review = await here.review();
    const paths = workspacePaths(here.runDirectory);
    const journal = openInterrupted();
    const program = openApplyProgram(here.workspace, paths.upper, "apply", journal.kept);
    for (const record of [
      ["remove", "turned/in", "any"],
      ["remove", "turned", "directory"],
      ["remove", "gone", "any"],
      ["put", "a", "any", "644", "-1", "-1"],
    ] as const) {
      journal.note([{ path: record[1], before: beforeAt(record[1]) }]);
      expect(await program.perform(record)).toBeNull();
    }
    await program.end();
    journal.close();
    writeFileSync(at(".warder-0123456789abcdef.tmp"), "half");
    writeFileSync(at(".warder-mine.tmp"), "mine");
    const report = await review.apply(anything);
    await review.close();
    expect(report.refused).toEqual([]);
    expect(readdirSync(here.workspace).toSorted()).toEqual([".warder-mine.tmp", "a", "d", "turned"]);
    expect([readFileSync(at("turned"), "utf8"), readFileSync(at("a"), "utf8")]).toEqual(["file\n", "new\n"]);
    expect(await openChanges(here.runDirectory)).toBeNull();
  });

  test("killed while it keeps a file takes that for no change of somebody's", async () => {
    here = await overlayWorkspace({ a: "old", "d/b": "old" });
    inView("echo new > a; echo new > d/b");
    const review = await here.review();
    const journal = openInterrupted();
    journal.note(["a", "d/b"].map((path) => ({ path, before: beforeAt(path) })));
    mkdirSync(join(journal.directory, "files/d"));
    for (const path of ["a", "d/b"]) linkSync(at(path), join(journal.directory, "files", dirname(path), ".warder-kept.tmp"));
    journal.close();
    expect((await review.apply(anything)).refused).toEqual([]);
    await review.close();
    expect([readFileSync(at("a"), "utf8"), readFileSync(at("d/b"), "utf8")]).toEqual(["new\n", "new\n"]);
  });

  test("killed while it writes a file leaves the old one, and the next call removes the half of the new one", async () => {
    const temporaries = (): string[] => readdirSync(at("d")).filter((name) => name.endsWith(".tmp"));
    const big = Buffer.alloc(150_000_000, "new");
    let isCaught = false;
    // On a machine that stalls the kill may come when it has landed; then once more, from the beginning.
    for (let tries = 0; tries < 20 && !isCaught; tries += 1) {
      if (tries > 0) await here.remove();
      here = await overlayWorkspace({ "d/big": "old" });
      writeFileSync(join(here.view, "d/big"), big);
      await here.end();
      const child = spawn(process.execPath, [PROGRAM, here.runDirectory], { stdio: ["ignore", "ignore", "inherit"], detached: true });
      const ended = once(child, "close");
      while (temporaries().length === 0 && child.exitCode === null) await pause(1);
      if (child.exitCode === null) process.kill(-(child.pid ?? 0), "SIGKILL");
      await ended;
      isCaught = temporaries().length === 1;
      expect(readFileSync(at("d/big")).equals(isCaught ? Buffer.from("old") : big)).toBe(true);
    }
    expect(isCaught).toBe(true);
    const review = await here.review();
    expect((await review.apply(anything)).refused).toEqual([]);
    await review.close();
    expect([statSync(at("d/big")).size, temporaries()]).toEqual([150_000_000, []]);
  });

  test("leaves the mode that somebody gave a directory meanwhile", async () => {
    here = await overlayWorkspace({ "d/a": "old" });
    inView("echo new > d/a");
    await here.end();
    chmodSync(at("d"), 0o700);
    const review = await here.review();
    expect((await review.apply(anything)).applied.map((change) => change.path)).toEqual(["d/a"]);
    await review.close();
    expect([statSync(at("d")).mode & 0o777, readFileSync(at("d/a"), "utf8")]).toEqual([0o700, "new\n"]);
  });

  test("still leaves what somebody changed after it was interrupted", async () => {
    here = await overlayWorkspace({ a: "old" });
    inView("echo new > a");
    const review = await here.review();
    const journal = openInterrupted();
    journal.note([{ path: "a", before: beforeAt("a") }]);
    journal.close();
    writeFileSync(at("a"), "theirs");
    expect((await review.apply(anything)).refused[0]?.reason).toMatch(/Conflict/u);
    await review.close();
    expect(readFileSync(at("a"), "utf8")).toBe("theirs");
  });

  test("is no conflict with itself where files have several names", async () => {
    here = await overlayWorkspace({ a: "same" }, (workspace) => {
      linkSync(join(workspace, "a"), join(workspace, "b"));
      linkSync(join(workspace, "a"), join(workspace, "c"));
    });
    inView("rm a; echo other > b; chmod 600 c");
    linkSync(at("c"), `${here.workspace}-outside`);
    const review = await here.review();
    // The new name changed the ctime of all of them.
    expect((await review.apply(anything)).refused).toHaveLength(3);
    await review.close();
    await here.remove();
    here = await overlayWorkspace({ a: "same" }, (workspace) => {
      linkSync(join(workspace, "a"), join(workspace, "b"));
      linkSync(join(workspace, "a"), `${workspace}-outside`);
    });
    inView("echo other > b; chmod 600 a");
    const again = await here.review();
    const parted = (await again.apply(anything)).refused.map(({ reason }) => reason);
    expect(parted).toEqual([expect.stringContaining("hard links"), expect.stringContaining("hard links")]);
    expect((await again.apply({ ...anything, paths: ["a", "b"] })).refused).toEqual([]);
    await again.close();
    // The name outside the workspace keeps its mode.
    expect([statSync(at("a")).mode & 0o777, statSync(`${here.workspace}-outside`).mode & 0o777]).toEqual([0o600, 0o644]);
  });

  test("lets one of two go on, and tells the other why it does not", async () => {
    here = await overlayWorkspace();
    inView("for i in $(seq 200); do echo $i > $i; done");
    await here.end();
    const children = [0, 1, 2].map(() => {
      const child = spawn(process.execPath, [PROGRAM, here.runDirectory], { stdio: ["ignore", "pipe", "pipe"] });
      let complaint = "";
      child.stderr.on("data", (part: Buffer) => (complaint += part.toString()));
      return once(child, "close").then(([status]) => ({ status: status as number | null, complaint }));
    });
    const ends = await Promise.all(children);
    expect(ends.filter((end) => end.status === 0).length).toBeGreaterThanOrEqual(1);
    expect(ends.filter((end) => end.status !== 0 && !end.complaint.includes("works with this run"))).toEqual([]);
    expect(readdirSync(here.workspace)).toHaveLength(200);
  });

  test("while somebody reviews them nobody else does", async () => {
    here = await overlayWorkspace();
    inView("echo x > x");
    const review = await here.review();
    const child = spawn(process.execPath, [PROGRAM, here.runDirectory], { stdio: ["ignore", "pipe", "pipe"] });
    let complaint = "";
    child.stderr.on("data", (part: Buffer) => (complaint += part.toString()));
    expect((await once(child, "close"))[0]).not.toBe(0);
    expect(complaint).toMatch(/The process \d+ works with this run now: try again when it is done/u);
    await review.close();
    expect(existsSync(at("x"))).toBe(false);
  });

  test("leaves whole files when the disk is full, and completes when it has room again", async () => {
    let disk = "";
    here = await overlayWorkspace({}, (workspace) => {
      disk = workspace;
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "none", disk]);
      writeFileSync(join(disk, "kept"), "kept");
    });
    try {
      inView("for i in 1 2 3 4; do head -c 400000 /dev/urandom > $i; done");
      const review = await here.review();
      const report = await review.apply(anything);
      expect(report.refused.map(({ reason }) => reason)).toContainEqual(expect.stringContaining("No space left"));
      for (const name of readdirSync(disk)) expect(name === "kept" ? 0 : statSync(join(disk, name)).size).toBe(name === "kept" ? 0 : 400_000);
      execFileSync("mount", ["-o", "remount,size=8m", disk]);
      expect((await review.apply(anything)).refused.filter(({ reason }) => /space/u.test(reason))).toEqual([]);
      await review.close();
      expect(readdirSync(disk).filter((name) => name.endsWith(".tmp"))).toEqual([]);
      expect(["1", "2", "3", "4"].map((name) => statSync(join(disk, name)).size)).toEqual([400_000, 400_000, 400_000, 400_000]);
    } finally {
      await here.end();
      execFileSync("umount", ["-l", disk]);
    }
  });

  test("says so when a link stands in the workspace's place, and does not look behind it", async () => {
    here = await overlayWorkspace();
    inView("echo x > x");
    await here.end();
    renameSync(here.workspace, `${here.workspace}-away`);
    symlinkSync(`${here.workspace}-away`, here.workspace);
    await expect(openChanges(here.runDirectory)).rejects.toMatchObject({ code: "usage", message: expect.stringContaining("is reached through a link now") });
    rmSync(here.workspace);
    renameSync(`${here.workspace}-away`, here.workspace);
    const review = await here.review();
    expect(review.list()).toHaveLength(1);
    await review.close();
  });

  test.each([
    ["missing", null],
    ["no JSON", "garbage"],
    ["something else", '["a"]'],
  ])("says so when what the workspace was is %s, and lands nothing", async (_what, text) => {
    here = await overlayWorkspace();
    inView("echo x > x");
    await here.end();
    const { manifest } = workspacePaths(here.runDirectory);
    if (text === null) rmSync(manifest);
    else writeFileSync(manifest, text);
    const review = await here.review();
    await expect(review.apply(anything)).rejects.toMatchObject({ code: "broken-invariant", message: expect.stringContaining("warder changes diff") });
    await review.close();
    expect(existsSync(at("x"))).toBe(false);
  });

  test("lets go of the run also when the changes cannot be listed any more", async () => {
    here = await overlayWorkspace();
    inView("echo x > x");
    const review = await here.review();
    renameSync(here.workspace, `${here.workspace}-away`);
    await expect(review.close()).rejects.toThrow("cannot be listed");
    renameSync(`${here.workspace}-away`, here.workspace);
    const paths = workspacePaths(here.runDirectory);
    expect([existsSync(paths.owner), mountsBelow(paths.base)]).toEqual([false, []]);
    const again = await here.review();
    expect(again.list()).toHaveLength(1);
    await again.close();
  });

  test("says so when the workspace is gone", async () => {
    here = await overlayWorkspace();
    inView("echo x > x");
    await here.end();
    rmSync(here.workspace, { recursive: true });
    await expect(openChanges(here.runDirectory)).rejects.toMatchObject({ code: "usage", message: expect.stringContaining("is gone") });
  });
});
