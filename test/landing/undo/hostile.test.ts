import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { workspacePaths } from "../../../src/sandbox/workspace/record.ts";
import { openUndo } from "../../../src/landing/undo/undo.ts";
import { rounds } from "../../support/extent.ts";
import { type GitWorkspace, gitWorkspace } from "../../support/git-workspace.ts";
import { runsRootTests } from "../../support/root.ts";
import { FACTS, undoIn } from "../../support/undo-workspace.ts";

let here: GitWorkspace;
afterEach(async () => {
  await here.remove();
});

const journals = (): string => workspacePaths(here.runDirectory).undo;
const reasons = async (): Promise<readonly string[]> => (await undoIn(here.runDirectory)).refused.map(({ change, reason }) => `${change.path}: ${reason}`);

describe.runIf(runsRootTests)("an undo", () => {
  test("gives files back to whom they belonged, also those of others", async () => {
    here = await gitWorkspace("echo a > a; echo b > b; mkdir d; echo c > d/c; chown 1000:1001 a d; chown 1002:1002 b d/c; chmod 4755 b");
    const before = here.onHost(FACTS);
    here.inRun("echo new > a; rm b; rm -r d");
    await here.apply(["a", "b", "d", "d/c"]);
    expect(here.onHost(FACTS)).not.toBe(before);
    expect(await reasons()).toEqual([]);
    expect(here.onHost(FACTS)).toBe(before);
  });

  test("writes nothing where another file system is mounted since, or another user took what landed", async () => {
    here = await gitWorkspace("mkdir d; echo old > d/a; echo old > b");
    here.inRun("echo new > d/a; echo new > b");
    await here.apply();
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", join(here.workspace, "d")]);
    try {
      here.onHost("echo mine > d/a; chown 1000 b");
      expect(await reasons()).toEqual([
        expect.stringMatching(/^b: Conflict: somebody changed it/u),
        expect.stringMatching(/^d\/a: Another file system is mounted on d/u),
      ]);
      expect(here.onHost("cat d/a b")).toBe("mine\nnew\n");
    } finally {
      execFileSync("umount", [join(here.workspace, "d")]);
    }
  });

  test("tells names apart that differ in case, or in how a letter is composed", async () => {
    here = await gitWorkspace("echo 1 > README; echo 2 > Readme; echo 3 > $'caf\\xc3\\xa9'; echo 4 > $'cafe\\xcc\\x81'");
    const before = here.onHost(FACTS);
    here.inRun("echo new > readme; rm README; echo new > Readme; rm $'cafe\\xcc\\x81'; mv $'caf\\xc3\\xa9' CAFE");
    await here.apply();
    expect(await reasons()).toEqual([]);
    expect(here.onHost(FACTS)).toBe(before);
  });

  test("has nothing where its journal was removed, and takes nothing of the workspace for what was kept", async () => {
    here = await gitWorkspace("echo old > a; ln -s old link; mkdir d; echo old > b");
    here.inRun("echo new > a; ln -sfn new link; rmdir d; echo new > d; echo new > b");
    await here.apply(["a", "link", "d"]);
    await here.apply(["b"]);
    rmSync(join(journals(), "2"), { recursive: true });
    rmSync(join(journals(), "1/files"), { recursive: true });
    const landed = here.onHost(FACTS);
    const lost = await reasons();
    expect(lost.map((reason) => reason.split(":")[0])).toEqual(["a", "d", "link"]);
    for (const reason of lost) expect(reason).toContain("not kept");
    expect(here.onHost(FACTS)).toBe(landed);
    rmSync(journals(), { recursive: true });
    expect(await openUndo(here.runDirectory)).toBeNull();
  });

  test("takes no other link for what was kept", async () => {
    here = await gitWorkspace("ln -s old link");
    here.inRun("ln -sfn new link");
    await here.apply();
    rmSync(join(journals(), "1/files/link"));
    execFileSync("ln", ["-s", "/etc/shadow", join(journals(), "1/files/link")]);
    expect(await reasons()).toEqual(["link: What was kept of it is damaged: it is not what was there."]);
    expect(here.onHost("readlink link")).toBe("new\n");
  });

  test.each([
    ["is set back to before the landing", 3_000, true],
    ["jumps beyond a week", -8 * 86_400, false],
  ])("when the clock %s", async (_what, landedInSeconds, isThere) => {
    here = await gitWorkspace("echo old > a");
    here.inRun("echo new > a");
    await here.apply();
    const file = join(journals(), "1/journal");
    writeFileSync(file, readFileSync(file, "utf8").replace(/"atMs":\d+/u, `"atMs":${String(Date.now() + landedInSeconds * 1000)}`));
    const refused = isThere ? await reasons() : await openUndo(here.runDirectory);
    expect(refused).toEqual(isThere ? [] : null);
    expect(here.onHost("cat a")).toBe(isThere ? "old\n" : "new\n");
  });

  test("of thousands of files and directories", async () => {
    const count = rounds(1_000, 10_000);
    here = await gitWorkspace(`for i in $(seq ${String(count / 10)}); do mkdir d$i; for j in 1 2 3 4 5 6 7 8 9 10; do echo $i > d$i/$j; done; done`);
    const before = here.onHost(FACTS);
    here.inRun(
      "rm -r d1*; for d in d2*; do for f in $d/*; do echo new > $f; done; mkdir $d/n; echo n > $d/n/f; done; for d in d3*; do rm -r $d; echo file > $d; done",
    );
    await here.apply();
    expect(await reasons()).toEqual([]);
    expect(here.onHost(FACTS)).toBe(before);
  });
});
