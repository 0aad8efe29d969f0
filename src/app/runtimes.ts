import type { Policy } from "../policy/policy.ts";
import { bubblewrapRuntime } from "../sandbox/bubblewrap.ts";
import { dockerRuntime } from "../sandbox/docker.ts";
import type { Runtime } from "../sandbox/runtime.ts";

/** The runtime that a policy names. There is no fallback from one to another. */
export function runtimeNamed(name: Policy["sandbox"]["runtime"]): Runtime {
  return name === "docker" ? dockerRuntime({ dockerHost: process.env["DOCKER_HOST"] }) : bubblewrapRuntime();
}
