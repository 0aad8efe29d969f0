import { spawn, spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { exitCodeOf, once, within } from "../support/until.ts";

// What tests wait with: nothing for ever, and what was over before is not waited for.

test("an end that came before is told as often as it is asked for", async () => {
  const child = spawn("sh", ["-c", "exit 3"]);
  expect([await exitCodeOf(child), await exitCodeOf(child), await once(child, "exit")]).toEqual([3, 3, [3, null]]);
});

test("data of a stream that ended, before or meanwhile, never comes, and that is said at once", async () => {
  const silent = spawn("true");
  await expect(once(silent.stdout, "data")).rejects.toThrow("this never came: data of Socket, which ended before");
  await exitCodeOf(silent);
  await expect(once(silent.stdout, "data")).rejects.toThrow("which ended before");
});

test("what never comes is named with what was seen instead", async () => {
  const never = new Promise(() => undefined);
  await expect(within("rain", never, () => "a blue sky", 20)).rejects.toThrow("this never came: rain\na blue sky");
});

test("a program that cannot be started is no end", async () => {
  await expect(once(spawn("/no/such/program"), "close")).rejects.toThrow("ENOENT");
});

test("a program that is waited for synchronously has a bound, its own where it has one", () => {
  expect(spawnSync("sleep", ["60"], { timeout: 20 })).toMatchObject({ signal: "SIGTERM" });
  expect(spawnSync("pwd", { cwd: "/", encoding: "utf8" })).toMatchObject({ status: 0, stdout: "/\n" });
  expect(Object.getOwnPropertySymbols(process.getBuiltinModule("node:child_process"))).toContain(Symbol.for("warder.tests.bounded"));
});
