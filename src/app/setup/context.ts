import { existsSync, realpathSync, statSync } from "node:fs";
import { AgentError } from "../../base/errors.ts";
import { loadPolicy } from "../../config/policy/load.ts";
import { homeDirectory, namedStateDirectory, stateDirectory } from "../../config/state/directory.ts";
import type { Policy } from "../../policy/policy.ts";

/** A workspace and the policy that rules it, as every command that decides something needs them. */
export type WorkspaceContext = {
  readonly policy: Policy;
  /** Real path of the workspace. */
  readonly workspace: string;
  readonly home: string;
  /** Warder's state and the policy's files: never read, never written by a call. */
  readonly ownPaths: readonly string[];
};

/**
 * Loads the policy for a workspace. Throws `usage` when the workspace is no directory, `bad-policy` with every diagnostic when the policy
 * cannot be loaded.
 */
export function readContext(policy: string, workspace: string): WorkspaceContext {
  const real = realDirectory(workspace);
  const home = realDirectory(homeDirectory());
  const state = stateDirectory(process.env);
  const loaded = loadPolicy(policy, { workspace: real, home, stateDirectory: state });
  return {
    policy: loaded.policy,
    workspace: real,
    home,
    ownPaths: [...new Set([namedStateDirectory(process.env), state, realPath(state), ...loaded.policy.files])],
  };
}

/** The real path of a directory that a person named. Throws `usage` where it is none. */
export function realDirectory(path: string): string {
  // To the system an empty name is the directory that one stands in: what a variable left that was not set.
  if (path === "") throw new AgentError("usage", "The name of the directory is empty: name the workspace, or `.` for this directory.");
  try {
    const real = realpathSync(path);
    if (statSync(real).isDirectory()) return real;
  } catch (error) {
    throw new AgentError("usage", `The directory ${path} cannot be used: ${error instanceof Error ? error.message : "unknown fault"}.`, { cause: error });
  }
  throw new AgentError("usage", `${path} is no directory.`);
}

/** The state directory may be a link, and need not be there yet. */
function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}
