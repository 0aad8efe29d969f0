import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { AgentError } from "../../../src/base/errors.ts";
import { openJournal, readJournals } from "../../../src/sandbox/workspace/changes/journal.ts";
import { personGit } from "../../../src/landing/git/person-git.ts";
import { type Ending, playFullDisk } from "../../support/crash/play.ts";
import { rounds } from "../../support/extent.ts";
import { gitWorkspace } from "../../support/git-workspace.ts";
import { runsRootTests } from "../../support/root.ts";
import { fillDisk, leaveRoom, smallDisk } from "../../support/small-disk.ts";

/** What a landing needs for a moment beside what stays. */
const BESIDE_BYTES = 64 * 1024;

const CASES = (["land", "undo"] as const).flatMap((stopped) => (["state", "workspace"] as const).map((full) => [stopped, full] as const));

test.runIf(runsRootTests).each(CASES)(
  "a %s that a full disk of the %s stops says what to do, and the next landing or undo ends it",
  async (stopped, full) => {
    const other: Ending = stopped === "land" ? "undo" : "land";
    const { taken, stopping, faults } = await playFullDisk({ stopped, full, room: null, end: other });
    expect([stopping, faults]).toEqual([null, []]);
    const points = rounds(1, 20);
    const stops: (string | null)[] = [];
    for (let point = 0; point < points; point += 1) {
      const room = Math.floor(((Math.max(taken, 0) + BESIDE_BYTES) * point) / points);
      const played = await playFullDisk({ stopped, full, room, end: point % 2 === 0 ? stopped : other });
      expect(played.faults).toEqual([]);
      stops.push(played.stopping);
    }
    expect(stops.filter((stop) => stop !== null)).not.toEqual([]);
  },
  rounds(900_000, 1_800_000),
);

const BEGUN = { what: "landing", atMs: 1, layers: "layers-1" } as const;
const pathsNamed = (name: string, count: number): readonly { path: string; before: null }[] =>
  Array.from({ length: count }, (_, at) => ({ path: `${name}${String(at)}`, before: null }));

test.runIf(runsRootTests)("a journal that found no room goes on with whole lines when there is some", () => {
  const disk = smallDisk();
  const journal = openJournal({ undo: disk, states: [] }, BEGUN);
  leaveRoom(disk, 4096);
  expect(() => {
    journal.note(pathsNamed("lost", 1000));
  }).toThrow(expect.objectContaining({ code: "ENOSPC" }));
  leaveRoom(disk, 1024 ** 2);
  journal.note(pathsNamed("first", 1));
  journal.close();
  expect([...(readJournals(disk)[0]?.paths.keys() ?? [])]).toEqual(["first0"]);
});

test.runIf(runsRootTests)("a journal that cannot be begun says what to do, and leaves none", () => {
  const disk = smallDisk();
  mkdirSync(join(disk, "undo"));
  fillDisk(join(disk, "ballast"));
  expect(() => openJournal({ undo: join(disk, "undo"), states: [] }, BEGUN)).toThrow(
    expect.objectContaining({ code: "store-unavailable", remedy: "Free some space and try again." }),
  );
  rmSync(join(disk, "ballast"));
  const journal = openJournal({ undo: join(disk, "undo"), states: [] }, BEGUN);
  journal.close();
  expect(journal.directory).toBe(join(disk, "undo/1"));
});

test.runIf(runsRootTests)("git lets go of what it holds if that cannot be written down", async () => {
  const here = await gitWorkspace("git init -q; echo a > a; git add a; git commit -qm one; echo b > a; git add a; git commit -qm two");
  onTestFinished(() => here.remove());
  const git = await personGit({ directory: join(here.workspace, ".git"), top: here.workspace, workspace: here.workspace });
  const noteLocks = (): never => {
    throw new AgentError("store-unavailable", "There is no room.");
  };
  const before = here.onHost("git for-each-ref; git ls-files -s");
  const [two = "", one = ""] = here.onHost("git rev-parse HEAD HEAD~1").split("\n");
  expect(await git.prepare("back", `update refs/heads/main ${one} ${two}\n`, noteLocks)).toBe("There is no room.");
  const staged = await git.run(["update-index", "-z", "--index-info"], `0 ${"0".repeat(40)}\ta\0`, noteLocks);
  expect([staged.isDone, staged.complaint]).toEqual([false, "There is no room."]);
  expect(here.onHost("git for-each-ref; git ls-files -s; find .git -name '*.lock'")).toBe(before);
});
