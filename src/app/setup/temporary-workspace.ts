import { chmodSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AgentError } from "../../base/errors.ts";
import { isSystemFault } from "../../store/files/fault.ts";

/** Calls `work` with the path of an empty workspace, mode 0755, that is removed afterwards. Throws `bad-configuration` where none can be made. */
export async function withTemporaryWorkspace<T>(prefix: string, work: (workspace: string) => Promise<T>): Promise<T> {
  const workspace = temporaryWorkspace(prefix);
  try {
    return await work(workspace.path);
  } finally {
    workspace.remove();
  }
}

/** The same, for as long as its owner likes. */
export function temporaryWorkspace(prefix: string): { readonly path: string; remove(): void } {
  const path = realpathSync(makeDirectory(prefix));
  chmodSync(path, 0o755);
  return {
    path,
    remove: () => {
      rmSync(path, { recursive: true, force: true });
    },
  };
}

function makeDirectory(prefix: string): string {
  try {
    return mkdtempSync(join(tmpdir(), prefix));
  } catch (error) {
    if (!isSystemFault(error)) throw error;
    throw new AgentError("bad-configuration", `No temporary directory can be made in ${tmpdir()}: ${error.code}.`, {
      cause: error,
      remedy: "Make it writable and free some space, or set TMPDIR to another directory.",
    });
  }
}
