import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test, vi } from "vitest";
import { playgroundCommand } from "../../../../src/cli/commands/policy/playground.ts";
import { temporaryDirectory } from "../../../support/temporary-store.ts";

function said(act: () => unknown): string {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  act();
  const text = write.mock.calls.map(([part]) => String(part)).join("");
  write.mockRestore();
  return text;
}

test("prints where the page lies, and copies it", () => {
  const directory = temporaryDirectory();
  const [page, copy] = [join(directory, "a page.html"), join(directory, "copy.html")];
  writeFileSync(page, "<p>");
  expect(said(() => playgroundCommand({}, page))).toBe(`${pathToFileURL(page).href}\n`);
  expect(said(() => playgroundCommand({ output: copy }, page))).toBe(`${pathToFileURL(copy).href}\n`);
  expect(readFileSync(copy, "utf8")).toBe("<p>");
});

test("says what to do where it was not built, and where it cannot be written", () => {
  const directory = temporaryDirectory();
  const page = join(directory, "page.html");
  expect(() => playgroundCommand({}, page)).toThrow(/was not built/u);
  writeFileSync(page, "<p>");
  mkdirSync(join(directory, "taken"));
  expect(() => playgroundCommand({ output: join(directory, "taken") }, page)).toThrow(/cannot be written/u);
  expect(existsSync(join(directory, "taken"))).toBe(true);
});
