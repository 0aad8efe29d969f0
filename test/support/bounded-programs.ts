import type { SpawnSyncOptions } from "node:child_process";
import { syncBuiltinESMExports } from "node:module";
import { PATIENCE_MS } from "./until.ts";

// While a test waits for a program synchronously no timer fires, also not that of the test: a program that hangs would hold the run of tests for ever.
const BOUND: SpawnSyncOptions = { timeout: PATIENCE_MS, killSignal: "SIGKILL" };
const BOUNDED = Symbol.for("warder.tests.bounded");

type Start = (file: string, ...rest: readonly (readonly string[] | SpawnSyncOptions | undefined)[]) => unknown;

const programs = process.getBuiltinModule("node:child_process");
if (!Object.hasOwn(programs, BOUNDED)) {
  const bounded = (start: Start): Start => {
    return (file, ...rest) => {
      const argv = rest.find((each) => Array.isArray(each)) ?? [];
      const options = (rest.find((each) => each !== undefined && !Array.isArray(each)) ?? {}) as SpawnSyncOptions;
      return start(file, argv, options.timeout === undefined ? { ...options, ...BOUND } : options);
    };
  };
  const { spawnSync, execFileSync } = programs as unknown as Record<"spawnSync" | "execFileSync", Start>;
  Object.assign(programs, { spawnSync: bounded(spawnSync), execFileSync: bounded(execFileSync), [BOUNDED]: true });
  syncBuiltinESMExports();
}
