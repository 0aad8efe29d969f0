import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { appendLine } from "../../../src/store/files/append-line.ts";
import { runsRootTests } from "../../support/root.ts";
import { fillDisk, smallDisk } from "../../support/small-disk.ts";
import { temporaryDirectory } from "../../support/temporary-store.ts";

test("adds a line behind the others, for the user alone", () => {
  const path = join(temporaryDirectory(), "lines");
  appendLine(path, "one");
  appendLine(path, "zwö");
  expect(readFileSync(path, "utf8")).toBe("one\nzwö\n");
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test.skipIf(!runsRootTests)("what a full disk takes a part of leaves nothing of the line [needs root, to mount one]", () => {
  const disk = smallDisk();
  const path = join(disk, "lines");
  appendLine(path, "one");
  // The block that the file has already takes the beginning of a long line.
  fillDisk(join(disk, "ballast"));
  expect(() => {
    appendLine(path, "x".repeat(10_000));
  }).toThrow("ENOSPC");
  expect(readFileSync(path, "utf8")).toBe("one\n");
  rmSync(join(disk, "ballast"));
  appendLine(path, "two");
  expect(readFileSync(path, "utf8")).toBe("one\ntwo\n");
});
