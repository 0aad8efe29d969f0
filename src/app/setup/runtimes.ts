import { join } from "node:path";
import { AgentError } from "../../base/errors.ts";
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
    return withWayOut(
      dockerRuntime({
        ...enginePlaceIn(process.env),
        stateDirectory: stateDirectory(process.env),
        ...(pool === null ? {} : { pool }),
      }),
    );
  }
  return (await import("../../sandbox/bubblewrap/runtime.ts")).bubblewrapRuntime();
}

/** Where there is no engine for this user and bubblewrap works, it is named as a way out: said, and never taken. */
function withWayOut(runtime: Runtime): Runtime {
  return {
    ...runtime,
    check: async () => {
      const status = await runtime.check();
      const remedy = status.isReady ? undefined : await wayOut(status.remedy);
      return remedy === undefined ? status : { ...status, remedy };
    },
    open: (profile, options) => orWayOut(() => runtime.open(profile, options)),
    reap: (directory) => orWayOut(() => runtime.reap(directory)),
  };
}

async function orWayOut<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AgentError) || !isNoEngine(error)) throw error;
    const remedy = await wayOut(error.remedy ?? undefined);
    throw remedy === undefined ? error : new AgentError(error.code, error.problem, { cause: error, remedy });
  }
}

/** Nothing answers, or not this user. */
function isNoEngine({ code, cause }: AgentError): boolean {
  return code === "sandbox-unavailable" && ["ENOENT", "ECONNREFUSED", "EACCES"].includes((cause as NodeJS.ErrnoException | undefined)?.code ?? "");
}

async function wayOut(remedy: string | undefined): Promise<string | undefined> {
  const { bubblewrapRuntime } = await import("../../sandbox/bubblewrap/runtime.ts");
  if (!(await bubblewrapRuntime().check()).isReady) return remedy;
  const said = "Or do without an engine: bubblewrap works on this machine, for a policy with `sandbox.runtime: bubblewrap`.";
  return remedy === undefined ? said : `${remedy.replace(/\.$/u, "")}. ${said}`;
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
