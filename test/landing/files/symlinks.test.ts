import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { linkReason } from "../../../src/landing/files/symlinks.ts";
import { diskFolder } from "../../support/run-folder.ts";

let workspace = "";
const anything = (): null => null;
const reason = (path: string, target: string): string | null => linkReason(workspace, path, target, anything);

beforeAll(() => {
  workspace = mkdtempSync(join(diskFolder(), "warder-test-"));
  mkdirSync(`${workspace}/d/e`, { recursive: true });
  symlinkSync("/etc", `${workspace}/out`);
  symlinkSync("loop", `${workspace}/loop`);
  symlinkSync("d/./e/..", `${workspace}/round`);
  symlinkSync("d/../..", `${workspace}/up`);
  symlinkSync("/nonexistent/warder", `${workspace}/lost`);
  symlinkSync(`${workspace}/d`, `${workspace}/whole`);
});
afterAll(() => {
  rmSync(workspace, { recursive: true });
});

describe("a symbolic link that a run made", () => {
  test.each([
    ["l", "d/e"],
    ["d/l", "../d/e"],
    ["d/e/l", "../../not-there"],
    ["l", "./d/./e"],
    ["l", "."],
    ["l", "..hidden"],
    ["l", "round/e/not-there"],
    ["l", "whole/e"],
    ["l", `not-there/${"a".repeat(300)}`],
  ])("may land: %s → %s", (path, target) => expect(reason(path, target)).toBeNull());

  test.each([
    ["l", "/etc/passwd"],
    ["l", ".."],
    ["d/l", "../../x"],
    ["l", "d/../../x"],
    ["l", "d/../x"],
    ["l", "d/e/../.."],
    ["l", "./d/./../x"],
    ["l", "out/passwd"],
    ["l", "loop/x"],
    ["l", "up/x"],
    ["l", "lost/x"],
    ["l", "a".repeat(300)],
    ["l", `d/${"a".repeat(300)}`],
    ["l", ".git/hooks"],
    ["l", ".git./hooks"],
    ["d/l", "../.git"],
    ["l", "bad\uFFFDname"],
  ])("must not land: %s → %s", (path, target) => expect(reason(path, target)).toBeTypeOf("string"));

  test("must not point at what the run may not write", () => {
    expect(linkReason(workspace, "l", "d/e", (path) => (path === `${workspace}/d/e` ? "protected" : null))).toContain("protected");
  });

  test("may be absolute within the workspace", () => {
    expect(reason("l", `${workspace}/d`)).toBeNull();
  });
});
