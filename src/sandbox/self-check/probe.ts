import { AgentError } from "../../base/errors.ts";
import type { Lane } from "../lane.ts";
import type { Property, Runtime } from "../runtime.ts";
import type { PreparedWorkspace } from "../workspace/prepare.ts";
import { ENGINE_SOCKETS, insideProperties, KERNEL_PATHS } from "./inside-view.ts";

/** Of one call of the supervisor. */
const MAX_PATHS = 4000;
const MAX_NAMED = 3;

/** What opened the lane, and where it listens on this machine. */
type Engine = { readonly runtime: Runtime["name"]; readonly sockets?: readonly string[] };

/**
 * Looks at a lane from inside before anything runs in it: the supervisor's `probe`, as the user and under the limits of a command, and a look for
 * paths that must not be there. Throws `sandbox-unavailable` where it cannot be looked at.
 */
export async function probeBoundary(lane: Lane, workspace: PreparedWorkspace, { runtime, sockets = [] }: Engine): Promise<readonly Property[]> {
  const { supervisor } = lane;
  const hidden = [...ENGINE_SOCKETS, ...sockets, ...workspace.hidden];
  const told = await supervisor.probe();
  if (told.kind === "failed") throw unseen(told.reason);
  const kernelPaths = await present(lane, KERNEL_PATHS);
  const visible = await present(lane, hidden);
  const { profile, user, mounts, mount } = workspace;
  const clearsGroups = runtime === "docker" || process.getuid?.() === 0;
  return insideProperties({ view: told.value, kernelPaths, visible }, { runtime, profile, user, mounts, mount, clearsGroups, uncounted: lane.uncounted ?? [] });
}

async function present({ supervisor }: Lane, paths: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (let at = 0; at < paths.length; at += MAX_PATHS) {
    const reply = await supervisor.resolve(paths.slice(at, at + MAX_PATHS));
    if (reply.kind === "failed") throw unseen(reply.reason);
    found.push(...reply.value.filter(({ type }) => type !== "missing").map(({ path }) => path));
  }
  return found;
}

const unseen = (reason: string): AgentError => new AgentError("sandbox-unavailable", `The sandbox cannot be looked at from inside: ${reason}`);

/** Throws `sandbox-unavailable` with what does not hold: a weaker sandbox than the policy wants is none. */
export function requireBoundary(properties: readonly Property[]): void {
  const unmet = properties.filter(({ isMet }) => isMet === false);
  if (unmet.length === 0) return;
  const named = unmet.slice(0, MAX_NAMED).map(({ what, expected, found }) => `${what}: expected ${expected || "nothing"}, found ${found || "nothing"}`);
  const more = unmet.length > MAX_NAMED ? `; and ${String(unmet.length - MAX_NAMED)} more` : "";
  throw new AgentError("sandbox-unavailable", `The sandbox's boundary does not hold, and nothing ran in it. ${named.join("; ")}${more}.`, {
    remedy: "See all of it: warder doctor --verbose",
  });
}
