import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { ownerOf } from "../../../src/sandbox/owner.ts";
import { continued } from "../../../src/sandbox/workspace/continued.ts";
import { type WorkspaceRecord, workspacePaths, writeRecord } from "../../../src/sandbox/workspace/record.ts";
import { temporaryDirectory } from "../../support/temporary-store.ts";

const USER = { uid: 1000, gid: 1000 };
const REPOSITORY = { path: "/srv/repository/.git", worktree: "w" } as const;

let top: string;
let runDirectory: string;
beforeEach(() => {
  top = temporaryDirectory();
  runDirectory = join(top, "runs/run-x");
  mkdirSync(workspacePaths(runDirectory).base, { recursive: true });
  mkdirSync(join(top, "w"));
});

function left(changed: Partial<WorkspaceRecord> = {}): WorkspaceRecord {
  const workspace = join(top, "w");
  const record: WorkspaceRecord = {
    version: 1,
    runId: "run-x",
    workspace,
    inode: statSync(workspace).ino,
    user: USER,
    owner: "1 0",
    image: null,
    state: "closed",
    ...changed,
  };
  writeRecord(runDirectory, record);
  return record;
}

/** A session of the run that begins now. */
function goOn({
  workspace = join(top, "w"),
  ...rest
}: {
  workspace?: string;
  user?: typeof USER;
  mount?: "overlay-by-guardian" | "overlay-by-engine";
  repository?: typeof REPOSITORY;
} = {}) {
  const { user = USER, mount = "overlay-by-guardian", repository } = rest;
  return continued(runDirectory, { roots: [{ path: workspace, access: "read-write" }], ...(repository === undefined ? {} : { repository }) }, { user, mount });
}

test("the changes of an earlier session are gone on with", () => {
  const record = left();
  expect(goOn()).toEqual(record);
});

test("nothing is gone on with where nothing is, or what is was thrown away", () => {
  expect(goOn()).toBeNull();
  left({ state: "discarded" });
  expect(goOn()).toBeNull();
});

test.each<[string, Partial<WorkspaceRecord>, Parameters<typeof goOn>[0], string]>([
  ["somebody works with it", { state: "open", owner: ownerOf(process.pid) ?? "" }, {}, `is in use by process ${String(process.pid)}`],
  ["the workspace is another", {}, { workspace: "/elsewhere" }, "holds changes of"],
  ["the user is another", {}, { user: { uid: 1001, gid: 1000 } }, "apply or discard them first"],
  ["another would mount it", {}, { mount: "overlay-by-engine" }, "was begun as root, and can only go on so"],
  ["the engine mounted it", { mounter: "engine" }, {}, "was begun without root, on a container engine"],
  ["the repository lies outside now", {}, { repository: REPOSITORY }, "its changes lie on that one"],
  ["the directory took the place of another", { inode: 1 }, {}, "is another directory than the one that run-x began in"],
])("a session does not go on where %s", (_what, record, asked, message) => {
  left(record);
  expect(() => goOn(asked)).toThrow(expect.objectContaining({ code: "sandbox-unavailable", message: expect.stringContaining(message) }));
});

test("a session does not go on where a rebase was interrupted, and it is said how that ends", () => {
  left();
  mkdirSync(workspacePaths(runDirectory).rebase, { recursive: true });
  expect(() => goOn()).toThrow(expect.objectContaining({ code: "sandbox-unavailable", remedy: "This ends it: warder changes list run-x" }));
});
