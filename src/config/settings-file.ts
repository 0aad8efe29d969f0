import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from "node:fs";
import { join } from "node:path";
import { AgentError } from "../base/errors.ts";
import type { ModelSettings } from "./model-settings.ts";
import { type Settings, settingsIn } from "./settings.ts";

const MAX_BYTES = 64 * 1024;

export const NO_MODELS: ModelSettings = { main: [], small: null, keys: new Map() };
const NOTHING: Settings = {
  webhooks: [],
  answers: null,
  anchor: null,
  archiveAfterMs: null,
  models: NO_MODELS,
  requests: null,
  search: null,
  mcp: [],
  skills: [],
  openapi: [],
  hooks: [],
  projects: { from: null, confirmed: [] },
};

/** `settings.yaml` in the state directory: outside of every workspace, and of everything that a call can reach. */
export function settingsPath(stateDirectory: string): string {
  return join(stateDirectory, "settings.yaml");
}

/** Reads the settings; none if there is no file. Throws `bad-configuration` with line and column, and for a file that others can write. */
export function readSettings(stateDirectory: string): Settings {
  const path = settingsPath(stateDirectory);
  const source = readOwn(path);
  return source === null ? NOTHING : settingsIn(path, source);
}

function readOwn(path: string): string | null {
  const fail = (why: string): never => {
    throw new AgentError("bad-configuration", `The settings ${path} cannot be used: the file ${why}.`);
  };
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    // Where the state is no directory, there are no settings either; whoever opens the state says so.
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    return code === "" ? fail("cannot be read") : fail(code === "ELOOP" ? "is a link" : `cannot be opened (${code})`);
  }
  try {
    const fault = faultOf(fstatSync(file));
    return fault === null ? readFileSync(file, "utf8") : fail(fault);
  } finally {
    closeSync(file);
  }
}

// It names where questions go and whose answers count: whoever can write it can approve.
function faultOf(status: Stats): string | null {
  if (!status.isFile()) return "is no regular file";
  if (status.uid !== 0 && status.uid !== process.getuid?.()) return "belongs to somebody else";
  if ((status.mode & 0o022) !== 0) return `may be changed by others (mode ${(status.mode & 0o777).toString(8)}); run: chmod 600 on it`;
  return status.size > MAX_BYTES ? "is longer than 64 KiB" : null;
}
