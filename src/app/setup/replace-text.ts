import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { AgentError } from "../../base/errors.ts";
import { isSystemFault } from "../../store/files/fault.ts";
import { replaceFile } from "../../store/files/replace-file.ts";

/**
 * Writes a person's file whole or not at all, with the mode that it has; a link stays one. `before`: what was read of it, null where there was none. `text` null:
 * the file goes. `mode`: of a new file. Throws `usage` if it was changed since it was read, `bad-configuration` if it cannot be written: then it is as it was.
 */
export function replaceText(path: string, before: string | null, text: string | null, mode = 0o600): void {
  const real = existsSync(path) ? realpathSync(path) : path;
  const now = existsSync(real) ? readFileSync(real, "utf8") : null;
  if (now !== before) throw new AgentError("usage", `${path} was changed meanwhile: nothing was written.`, { remedy: "Try again." });
  try {
    if (text === null) return rmSync(real, { force: true });
    mkdirSync(dirname(real), { recursive: true, mode: 0o700 });
    replaceFile(real, text, before === null ? mode : statSync(real).mode & 0o777);
  } catch (error) {
    if (!isSystemFault(error)) throw error;
    throw new AgentError("bad-configuration", `${path} cannot be written (${error.code}). It is as it was.`, {
      cause: error,
      remedy: "Free some space, or see who may write in its directory.",
    });
  }
}
