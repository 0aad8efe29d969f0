import { existsSync } from "node:fs";
import { parentPath } from "../../config/policy/files.ts";
import { AgentError } from "../../base/errors.ts";

/** The file of a policy that the one at `path` extends; null where there is none. */
export function policyParent(parent: string, path: string): string | null {
  try {
    const found = parentPath(parent, { file: path, path, text: "", identity: "", owner: -1 });
    return existsSync(found) ? found : null;
  } catch (error) {
    if (error instanceof AgentError) return null;
    throw error;
  }
}
