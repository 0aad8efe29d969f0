import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { loadPolicy, type LoadedPolicy } from "../config/load-policy.ts";
import { stateDirectory } from "../config/state-directory.ts";

/** Loads a policy as a run would. Throws `bad-policy` with every diagnostic. */
export function checkPolicyFile(file: string, workspace: string): LoadedPolicy {
  return loadPolicy(file, { workspace: realpathSync(workspace), home: homedir(), stateDirectory: stateDirectory(process.env) });
}
