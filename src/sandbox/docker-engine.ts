import Docker from "dockerode";
import { readFileSync } from "node:fs";
import { AgentError } from "../base/errors.ts";
import type { EngineAddress } from "./docker-attach.ts";
import { sandboxFile } from "./host-program.ts";

export type Engine = { readonly docker: Docker; readonly address: EngineAddress };

const CALL_TIMEOUT_MS = 60_000;
const REMEDY = "Start Docker Engine (as root: `systemctl start docker`, or `dockerd &`), or run scripts/setup.";

/** The engine at DOCKER_HOST (a `unix://` address) or at Docker's own socket. Throws `bad-configuration` for another kind of address. */
export function openEngine(dockerHost: string | undefined): Engine {
  const match = /^unix:\/\/(\/.+)$/.exec(dockerHost ?? "unix:///var/run/docker.sock");
  const socketPath = match?.[1];
  if (socketPath === undefined)
    throw new AgentError("bad-configuration", "DOCKER_HOST must be a unix socket (unix:///path): the workspace is mounted from this machine.");
  return { docker: new Docker({ socketPath, timeout: CALL_TIMEOUT_MS }), address: { socketPath } };
}

/** The content digest of the image that setup made. Throws `sandbox-unavailable` when there is none, or the engine does not answer. */
export async function findImage(engine: Engine): Promise<string> {
  const wanted = readFileSync(sandboxFile("build/image-id"), "utf8").trim();
  if (!/^sha256:[0-9a-f]{64}$/.test(wanted)) throw new AgentError("sandbox-unavailable", `${sandboxFile("build/image-id")} names no image. Run scripts/setup.`);
  try {
    return (await engine.docker.getImage(wanted).inspect()).Id;
  } catch (error) {
    if (statusOf(error) === 404)
      throw new AgentError("sandbox-unavailable", `The sandbox image ${wanted} is not there. Run scripts/setup, which makes it.`, { cause: error });
    throw engineError(error);
  }
}

/** Podman serves Docker's API with differences of its own. Throws as any call of the engine. */
export async function isPodman(engine: Engine): Promise<boolean> {
  try {
    const { Components: components } = (await engine.docker.version()) as { Components?: readonly { readonly Name: string }[] };
    return components?.some(({ Name: name }) => name === "Podman Engine") ?? false;
  } catch (error) {
    throw engineError(error);
  }
}

/** What a failed call of the engine means for a person. */
export function engineError(error: unknown): AgentError {
  if (error instanceof AgentError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOENT" || code === "ECONNREFUSED") return new AgentError("sandbox-unavailable", `Docker Engine does not answer. ${REMEDY}`, { cause: error });
  if (code === "EACCES")
    return new AgentError("sandbox-unavailable", "Docker's socket may not be used by this user: run as root, or join the group `docker`.", { cause: error });
  return new AgentError("sandbox-unavailable", `Docker Engine failed: ${message}`, { cause: error });
}

/** Whether a failed call says that the container is gone. Podman says it with status 500 while it removes one. */
export function isGone(error: unknown): boolean {
  return statusOf(error) === 404 || causeOf(error) === "no such container";
}

/** Whether a failed call says that the engine is removing the container already. */
export function isBeingRemoved(error: unknown): boolean {
  return statusOf(error) === 409 || causeOf(error) === "container state improper";
}

const causeOf = (error: unknown): unknown => (error as { json?: { cause?: unknown } }).json?.cause;

/** The HTTP status of a failed call; undefined when there was none. */
function statusOf(error: unknown): number | undefined {
  return (error as { statusCode?: number }).statusCode;
}
