import { chmodSync, lstatSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AgentError } from "../../base/errors.ts";
import { isSystemFault } from "../../store/files/fault.ts";

/**
 * Calls `work` with the path of an empty workspace, mode 0755, that is removed afterwards. Removes those, too, that a process which was killed has left. Throws
 * `bad-configuration` where none can be made.
 */
export async function withTemporaryWorkspace<T>(prefix: string, work: (workspace: string) => Promise<T>): Promise<T> {
  const workspace = temporaryWorkspace(prefix);
  try {
    removeLeftBehind(prefix);
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
    return mkdtempSync(join(tmpdir(), `${prefix}${String(process.pid)}-`));
  } catch (error) {
    if (!isSystemFault(error)) throw error;
    throw new AgentError("bad-configuration", `No temporary directory can be made in ${tmpdir()}: ${error.code}.`, {
      cause: error,
      remedy: "Make it writable and free some space, or set TMPDIR to another directory.",
    });
  }
}

/** A process in another container may look dead and share the directory; what works for so long is none of those that make a workspace for their own time. */
const LEFT_BEHIND_MS = 3_600_000;

/** What cannot be listed or removed stays: whoever asked for a workspace has one. */
function removeLeftBehind(prefix: string): void {
  try {
    for (const name of readdirSync(tmpdir())) {
      const pid = name.startsWith(prefix) ? /^([1-9][0-9]{0,9})-[A-Za-z0-9]{6}$/u.exec(name.slice(prefix.length))?.[1] : undefined;
      if (pid === undefined || isThere(Number(pid))) continue;
      const path = join(tmpdir(), name);
      if (isOldAndOwn(path)) rmSync(path, { recursive: true, force: true });
    }
  } catch (error) {
    if (!isSystemFault(error)) throw error;
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    if (!isSystemFault(error)) throw error;
    return error.code !== "ESRCH";
  }
}

function isOldAndOwn(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found !== undefined && found.isDirectory() && found.uid === process.getuid?.() && Date.now() - found.mtimeMs > LEFT_BEHIND_MS;
}
