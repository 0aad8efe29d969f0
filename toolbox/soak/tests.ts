/**
 * Runs in full the tests of which `npm test` takes a slice: each kill, time zone, attack and process of them. Arguments go to vitest.
 *
 *   npm run soak -- tests [FILE …]
 */
import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..", "..");
const given = process.argv.slice(2);
const ofExtent = (file: string): boolean => /support\/extent\.ts|contract\/runtime\.ts/u.test(readFileSync(join(root, file), "utf8"));
const files = globSync("test/**/*.test.ts", { cwd: root }).filter(ofExtent);
const chosen = given.some((word) => word.startsWith("test/")) ? [] : files;
const { status } = spawnSync("vitest", ["run", ...chosen, ...given], { cwd: root, stdio: "inherit", env: { ...process.env, TEST_EXTENT: "whole" } });
process.exitCode = status ?? 1;
