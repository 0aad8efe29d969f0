import { statSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { stateDirectory } from "../../config/state/directory.ts";

/**
 * Lets Node.js keep the compiled code of what is loaded from now on, in the state directory: what lies there is run as it is, so nobody else may have
 * written it. Without such a directory nothing is kept.
 */
export function keepCompiledCode(environment: NodeJS.ProcessEnv): void {
  // bin/warder has its own place for it.
  if (environment["NODE_COMPILE_CACHE"] !== undefined) return;
  try {
    const state = stateDirectory(environment);
    const { uid, mode } = statSync(state);
    if (uid === process.getuid?.() && (mode & 0o022) === 0) enableCompileCache(join(state, "compiled"));
  } catch {
    // There is no such directory yet, or what names it is wrong: whoever needs it says so.
  }
}
