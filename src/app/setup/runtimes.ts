import { join } from "node:path";
import { AgentError } from "../../base/errors.ts";
import { stateDirectory } from "../../config/state/directory.ts";
import type { Policy } from "../../policy/policy.ts";
import type { SandboxPool } from "../../sandbox/docker/pool.ts";
import type { Runtime } from "../../sandbox/runtime.ts";

const MAX_ANSWER_MS = 600_000;
const PLACE_REMEDY = 'For example: dockerRuntime({ host: "unix:///run/user/1000/docker.sock" })';

/** Where a program's Docker engine is; absent: where DOCKER_HOST, DOCKER_TLS_VERIFY and DOCKER_CERT_PATH say. */
export type DockerPlace = {
  /** `unix:///PATH`, `tcp://HOST:PORT` or `ssh://USER@HOST`. */
  readonly host?: string;
  /** The folder with `ca.pem`, `cert.pem` and `key.pem`, where `host` is reached over TLS. */
  readonly certificates?: string;
  /** How long the engine may take to answer at all. Absent: ten seconds. */
  readonly answerTimeoutMs?: number;
};

/** Which runtime a program expects its policy to name, and where it is. Made by `chooseDocker` and `chooseBubblewrap` alone. */
export type ChosenRuntime = { readonly name: Policy["sandbox"]["runtime"] };

const places = new WeakMap<ChosenRuntime, DockerPlace>();

/** Sandboxes in the Docker engine at a place. Nothing is loaded or asked before a run. Throws `bad-configuration` for what says no place. */
export function chooseDocker(place: DockerPlace = {}): ChosenRuntime {
  const { host, certificates, answerTimeoutMs, ...unknown } = place;
  const [key] = Object.keys(unknown);
  const fault =
    key !== undefined
      ? `it has no ${JSON.stringify(key)}`
      : host === "" || (host === undefined && certificates !== undefined)
        ? "certificates are of a host, and a host is not empty"
        : answerTimeoutMs !== undefined && !(Number.isInteger(answerTimeoutMs) && answerTimeoutMs >= 1 && answerTimeoutMs <= MAX_ANSWER_MS)
          ? `answerTimeoutMs is 1 to ${String(MAX_ANSWER_MS)}`
          : null;
  if (fault !== null) throw new AgentError("bad-configuration", `This is no place of a Docker engine: ${fault}.`, { remedy: PLACE_REMEDY });
  return choice("docker", { ...place });
}

/** Sandboxes without an engine, by bubblewrap. */
export function chooseBubblewrap(): ChosenRuntime {
  return choice("bubblewrap", {});
}

function choice(name: ChosenRuntime["name"], place: DockerPlace): ChosenRuntime {
  const chosen = Object.freeze({ name });
  places.set(chosen, place);
  return chosen;
}

function placeOf(chosen: ChosenRuntime | undefined): DockerPlace {
  return chosen === undefined ? {} : (places.get(chosen) ?? {});
}

/** Throws `bad-configuration` for a runtime that is not Warder's, and for another than the policy names: what contains a run is the policy's to say. */
export function checkChoice(chosen: ChosenRuntime | undefined, { name, sandbox }: Pick<Policy, "name" | "sandbox">): void {
  if (chosen === undefined) return;
  if (!places.has(chosen))
    throw new AgentError("bad-configuration", "A runtime is made by dockerRuntime or bubblewrapRuntime.", { remedy: "See docs/library.md#runtimes" });
  if (chosen.name === sandbox.runtime) return;
  throw new AgentError("bad-configuration", `The policy ${name} wants the runtime ${sandbox.runtime}, and the program gives ${chosen.name}.`, {
    remedy: "Give the one that the policy names, or name the other in the policy: sandbox.runtime.",
  });
}

/** This process's, while it expects to open many sandboxes. */
let pool: SandboxPool | null = null;

/** The runtime that a policy names; only its own code is loaded. There is no fallback from one to another. `chosen`: where a program says that it is. */
export async function runtimeNamed(name: Policy["sandbox"]["runtime"], chosen?: ChosenRuntime): Promise<Runtime> {
  if (name === "docker") {
    const { dockerRuntime, enginePlaceIn } = await import("../../sandbox/docker/runtime.ts");
    const { host: dockerHost, certificates, answerTimeoutMs } = placeOf(chosen);
    return withWayOut(
      dockerRuntime({
        // An engine of its own has certificates of its own, or none.
        ...(dockerHost === undefined ? enginePlaceIn(process.env) : { dockerHost, certificates }),
        ...(answerTimeoutMs === undefined ? {} : { answerTimeoutMs }),
        stateDirectory: stateDirectory(process.env),
        // Sandboxes are started ahead on the environment's engine alone.
        ...(pool === null || dockerHost !== undefined ? {} : { pool }),
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
    serve: (profile, options, command) => orWayOut(() => runtime.serve(profile, options, command)),
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
