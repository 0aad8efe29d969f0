import { loadForReview } from "../../config/policy/load.ts";
import { realDirectory } from "../setup/context.ts";

/** Loads a policy as a run would, one that nobody confirmed too. Throws `usage` when the workspace is no directory, `bad-policy` with every diagnostic. */
export function checkPolicyFile(file: string, workspace: string): ReturnType<typeof loadForReview> {
  return loadForReview(file, { workspace: realDirectory(workspace) });
}
