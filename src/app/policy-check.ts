import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { AgentError } from "../base/errors.ts";
import { loadPolicy, requireRunnable, type LoadedPolicy } from "../config/load-policy.ts";
import { stateDirectory } from "../config/state-directory.ts";

/** A policy that can be loaded; `obstacle` says why this version cannot run calls under it, or is null. */
export type PolicyCheck = { readonly loaded: LoadedPolicy; readonly obstacle: string | null };

/** Loads a policy as a run would. Throws `bad-policy` with every diagnostic. */
export function checkPolicyFile(file: string, workspace: string): PolicyCheck {
  const loaded = loadPolicy(file, { workspace: realpathSync(workspace), home: homedir(), stateDirectory: stateDirectory(process.env) });
  return { loaded, obstacle: obstacleOf(loaded) };
}

function obstacleOf(loaded: LoadedPolicy): string | null {
  try {
    requireRunnable(loaded);
    return null;
  } catch (error) {
    if (error instanceof AgentError && error.code === "bad-policy") return error.message;
    throw error;
  }
}
