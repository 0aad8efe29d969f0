import { loadPolicy, type LoadedPolicy } from "../../config/policy/load.ts";
import { realDirectory } from "../setup/context.ts";

/** Loads a policy as a run would. Throws `usage` when the workspace is no directory, `bad-policy` with every diagnostic. */
export function checkPolicyFile(file: string, workspace: string): LoadedPolicy {
  return loadPolicy(file, { workspace: realDirectory(workspace) });
}
