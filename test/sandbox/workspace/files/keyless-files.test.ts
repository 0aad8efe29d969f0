import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  type Stats,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type KeylessFiles, openKeylessFiles } from "../../../../src/sandbox/workspace/files/keyless-files.ts";
import { MARKED_BY } from "../../../../src/sandbox/workspace/files/private-key.ts";
import { scanRoots } from "../../../../src/sandbox/workspace/scan/all-roots.ts";
import { profileOf } from "../../../contract/sandbox-fixture.ts";
import { makeCertificate } from "../../../support/certificate.ts";
import { removeFolder } from "../../../support/run-folder.ts";

/** Long after everything here was written. */
const LATER_MS = 120_000;
const { key } = makeCertificate("example.org");
/** As long as the key. */
const prose = "a".repeat(key.length);

/** The folders of tests may lie in memory. */
const keepsCtime = (): boolean => true;

const fixture = { state: "/nowhere", runDirectory: "/nowhere/runs/run-1", runId: "run-1", remove: () => undefined };

let folder: string;
let directory: string;
let notes: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "warder-test-"));
  directory = join(folder, "looked-at");
  mkdirSync(join(folder, "workspace"));
  notes = join(folder, "workspace", "notes");
  writeFileSync(notes, prose);
});
afterEach(() => {
  removeFolder(folder);
});

const open = (asked: { rules?: string; now?: number } = {}): KeylessFiles =>
  openKeylessFiles(directory, join(folder, "workspace"), { rules: asked.rules ?? MARKED_BY, now: asked.now ?? Date.now() + LATER_MS, keepsCtime });
const knows = (stats: Stats = statSync(notes), asked: Parameters<typeof open>[0] = {}): boolean => open(asked).has(notes, stats);
const remember = (path: string): void => {
  const files = open();
  files.add(path, statSync(path));
  files.save();
};
const hidden = (now = Date.now() + LATER_MS): readonly string[] => {
  const profile = profileOf({ ...fixture, workspace: join(folder, "workspace"), folder }, { keys: [join(folder, "workspace", "*.pem")] });
  return scanRoots(profile, "none", { directory, now, keepsCtime }).flatMap(({ keys }) => keys);
};

test("nothing is remembered where a file system lets ctime stay", () => {
  const files = openKeylessFiles(directory, "/proc", { rules: MARKED_BY, now: Date.now() + LATER_MS });
  files.add("/proc/version", statSync("/proc/version"));
  files.save();
  expect(existsSync(directory)).toBe(false);
});

describe("a file that held no key", () => {
  test("is not read again, until somebody changes it", () => {
    writeFileSync(notes, key);
    expect(hidden()).toEqual([notes]);
    // What is remembered wrongly shows that nobody reads the file.
    remember(notes);
    expect(hidden()).toEqual([]);
    const { atime, mtime } = statSync(notes);
    appendFileSync(notes, "");
    writeFileSync(notes, key);
    utimesSync(notes, atime, mtime);
    expect(hidden()).toEqual([notes]);
  });

  test("is remembered by a session, and a file with a key never", () => {
    writeFileSync(join(folder, "workspace", "key"), key);
    expect(hidden()).toEqual([join(folder, "workspace", "key")]);
    expect(knows()).toBe(true);
    expect(open().has(notes, statSync(join(folder, "workspace", "key")))).toBe(false);
  });

  test("counts for what it was alone: no other inode, device, size or time", () => {
    remember(notes);
    const stats = statSync(notes);
    expect(knows(stats)).toBe(true);
    for (const field of ["dev", "ino", "size", "mtimeMs", "ctimeMs"] as const)
      expect(knows(Object.assign(statSync(notes), { [field]: stats[field] - 1 })), field).toBe(false);
    renameSync(notes, `${notes}-before`);
    writeFileSync(notes, prose);
    utimesSync(notes, stats.atime, stats.mtime);
    expect(knows()).toBe(false);
  });

  test("is not remembered within a minute of its last change, nor looked up", () => {
    const files = open({ now: Date.now() });
    files.add(notes, statSync(notes));
    files.save();
    expect(existsSync(directory)).toBe(false);
    remember(notes);
    expect(knows(statSync(notes), { now: Date.now() })).toBe(false);
  });

  test("is looked at anew when other marks are searched for, or what was kept is damaged", () => {
    remember(notes);
    expect(knows(statSync(notes), { rules: `${MARKED_BY}\nANOTHER` })).toBe(false);
    const [name = ""] = readdirSync(directory);
    const file = join(directory, name);
    const whole = readFileSync(file);
    for (const content of [whole.subarray(0, -1), whole.subarray(0, 32), Buffer.alloc(0), Buffer.concat([whole, whole.subarray(32)]), whole.fill(1, 40, 41)]) {
      writeFileSync(file, content);
      expect(knows()).toBe(false);
    }
  });

  test("is forgotten where nothing can be written, and with the oldest of many workspaces", () => {
    writeFileSync(directory, "in the way");
    remember(notes);
    expect(readFileSync(directory, "utf8")).toBe("in the way");
    removeFolder(directory);
    mkdirSync(directory);
    for (let index = 0; index < 70; index += 1) {
      writeFileSync(join(directory, String(index)), "");
      utimesSync(join(directory, String(index)), 1000 + index, 1000 + index);
    }
    remember(notes);
    expect(readdirSync(directory)).toHaveLength(64);
    expect(existsSync(join(directory, "6"))).toBe(false);
    expect(knows()).toBe(true);
  });
});
