import { join } from "node:path";
import { stateDirectory } from "../../config/state/directory.ts";
import type { Policy } from "../../policy/policy.ts";
import type { SandboxPool } from "../../sandbox/docker/pool.ts";
import type { Runtime } from "../../sandbox/runtime.ts";

/** This process's, while it expects to open many sandboxes. */
let pool: SandboxPool | null = null;

/** The runtime that a policy names; only its own code is loaded. There is no fallback from one to another. */
export async function runtimeNamed(name: Policy["sandbox"]["runtime"]): Promise<Runtime> {
  if (name === "docker") {
    const { dockerRuntime, enginePlaceIn } = await import("../../sandbox/docker/runtime.ts");
    return dockerRuntime({
      ...enginePlaceIn(process.env),
      stateDirectory: stateDirectory(process.env),
      ...(pool === null ? {} : { pool }),
    });
  }
  return (await import("../../sandbox/bubblewrap/runtime.ts")).bubblewrapRuntime();
}

/**
 * Does `work`, which opens many runs: meanwhile the next sandbox is started while one works, so that a run which follows another of the
 * same policy and workspace within ten minutes does not wait for the engine. Runs in memory of an idle container or two; they end with
 * `work`, and with this process however it ends. Without it every run starts its own.
 */
export async function withReadySandboxes<T>(work: () => Promise<T>): Promise<T> {
  if (pool !== null) return await work();
  const { openSandboxPool } = await import("../../sandbox/docker/pool.ts");
  const own = openSandboxPool({ directory: join(stateDirectory(process.env), "pool") });
  pool = own;
  try {
    return await work();
  } finally {
    pool = null;
    await own.close();
  }
}
