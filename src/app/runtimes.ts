import type { Policy } from "../policy/policy.ts";
import type { Runtime } from "../sandbox/runtime.ts";

/** The runtime that a policy names; only its own code is loaded. There is no fallback from one to another. */
export async function runtimeNamed(name: Policy["sandbox"]["runtime"]): Promise<Runtime> {
  if (name === "docker") return (await import("../sandbox/docker.ts")).dockerRuntime({ dockerHost: process.env["DOCKER_HOST"] });
  return (await import("../sandbox/bubblewrap.ts")).bubblewrapRuntime();
}
