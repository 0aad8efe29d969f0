import { randomBytes } from "node:crypto";
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { AgentError } from "../../base/errors.ts";

/**
 * Writes a person's file whole or not at all, with the mode that it has; a link stays one. `before`: what was read of it, null where there was none. `text` null:
 * the file goes. Throws `usage` if it was changed since it was read.
 */
export function replaceText(path: string, before: string | null, text: string | null): void {
  const real = existsSync(path) ? realpathSync(path) : path;
  const now = existsSync(real) ? readFileSync(real, "utf8") : null;
  if (now !== before) throw new AgentError("usage", `${path} was changed meanwhile: nothing was written.`, { remedy: "Try again." });
  if (text === null) return rmSync(real, { force: true });
  mkdirSync(dirname(real), { recursive: true, mode: 0o700 });
  const mode = before === null ? 0o600 : statSync(real).mode & 0o777;
  const draft = `${real}.${randomBytes(6).toString("hex")}.new`;
  const file = openSync(draft, "wx", mode);
  try {
    writeSync(file, text);
    fsyncSync(file);
    closeSync(file);
    renameSync(draft, real);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
