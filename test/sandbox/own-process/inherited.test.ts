import { spawnSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..", "..", "..");
/** Beyond those that Node.js itself keeps from its children. */
const INHERITED = 20;

/** What a program says that was started with this file as a descriptor. */
function startedWith(file: string, code: string): unknown {
  const descriptor = openSync(file, "r");
  try {
    const stdio = ["ignore", "pipe", "inherit", ...Array.from({ length: INHERITED - 3 }, () => "ignore" as const), descriptor] as const;
    const { stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", code], { stdio: [...stdio], encoding: "utf8" });
    return JSON.parse(stdout);
  } finally {
    closeSync(descriptor);
  }
}

test("the process of an isolate has nothing of what Warder was started with", () => {
  const said = startedWith(
    "/etc/hostname",
    `import { execFileSync } from "node:child_process";
import { readdirSync, readlinkSync } from "node:fs";
import { startIsolate } from "${join(ROOT, "src/sandbox/isolate/isolate.ts")}";
import { descendants } from "${join(ROOT, "test/support/descendants.ts")}";
const isolate = await startIsolate();
await isolate.begin({ code: "await tools.echo({})", functions: ["echo"], nowMs: 0, seed: 0 });
const target = (pid, fd) => { try { return readlinkSync("/proc/" + pid + "/fd/" + fd); } catch { return "closed"; } };
const open = descendants(process.pid).flatMap(({ pid }) => readdirSync("/proc/" + pid + "/fd").map((fd) => target(pid, fd)));
await isolate.close();
// A program that is started in the usual way has it.
const usual = execFileSync("/bin/sh", ["-c", "readlink /proc/$$/fd/${INHERITED}"], { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }).trim();
console.log(JSON.stringify({ has: open.includes("/etc/hostname"), isChannel: open.some((name) => name.startsWith("pipe:") || name.startsWith("socket:")), usual }));`,
  );
  expect(said).toEqual({ has: false, isChannel: true, usual: "/etc/hostname" });
});
