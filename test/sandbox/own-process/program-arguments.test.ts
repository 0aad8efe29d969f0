import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { programArguments } from "../../../src/sandbox/own-process/program-arguments.ts";

/** What a broken parser would do: code in the process itself, started as a process of Warder's own is. */
const TRIES = `const tried = (what, act) => { try { act(); console.log(what + ": done"); } catch (error) { console.log(what + ": " + error.code); } };
const fs = require("node:fs");
tried("read", () => fs.readFileSync("/etc/passwd"));
tried("list", () => fs.readdirSync("/"));
tried("write", () => fs.writeFileSync("/tmp/from-a-process-of-warder", "x"));
tried("program", () => require("node:child_process").execFileSync("/bin/true"));
`;

test("a process of Warder's own reads no file but its sources and packages, writes none and starts nothing", () => {
  const own = { program: "/nowhere.js", packages: [import.meta.resolve("unpdf")], hasNetwork: false, hasAddons: false };
  const flags = programArguments(own).slice(0, -1);
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, "--eval", TRIES], { env: {}, cwd: "/", encoding: "utf8" });
  const refused = ["read", "list", "write", "program"].map((what) => `${what}: ERR_ACCESS_DENIED`);
  expect(stdout.trim().split("\n"), stderr).toEqual(refused);
  expect(existsSync("/tmp/from-a-process-of-warder")).toBe(false);
});
