import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test, vi } from "vitest";
import { withTemporaryWorkspace } from "../../../src/app/setup/temporary-workspace.ts";
import { temporaryDirectory } from "../../support/temporary-store.ts";

const LONG_AGO = new Date(Date.now() - 7_200_000);

test("removes what a killed process of the same kind has left, and nothing else", async () => {
  const place = temporaryDirectory();
  vi.stubEnv("TMPDIR", place);
  const gone = String(spawnSync("true").pid);
  const directory = (name: string): string => {
    const path = join(place, name);
    mkdirSync(join(path, "workspace"), { recursive: true });
    writeFileSync(join(path, "policy.yaml"), "");
    return path;
  };
  const left = directory(`warder-a-${gone}-abcdef`);
  const others = [
    directory(`warder-a-${String(process.pid)}-abcdef`),
    directory(`warder-b-${gone}-abcdef`),
    directory(`warder-a-${gone}-abcdef.kept`),
    directory("warder-a-x-abcdef"),
    directory("mine"),
  ];
  const young = directory(`warder-a-${gone}-ghijkl`);
  symlinkSync(join(place, "mine"), join(place, `warder-a-${gone}-mnopqr`));
  for (const path of [left, ...others]) utimesSync(path, LONG_AGO, LONG_AGO);
  const name = await withTemporaryWorkspace("warder-a-", async (path) => {
    expect(existsSync(left)).toBe(false);
    return await Promise.resolve(basename(path));
  });
  expect(name).toMatch(new RegExp(`^warder-a-${String(process.pid)}-`, "u"));
  expect(existsSync(join(place, name))).toBe(false);
  expect([...others, young, join(place, "mine", "policy.yaml")].map((path) => existsSync(path))).not.toContain(false);
  vi.unstubAllEnvs();
});
