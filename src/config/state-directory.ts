import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { AgentError } from "../base/errors.ts";

/**
 * Where Warder keeps its state: `$WARDER_HOME`, else `$XDG_STATE_HOME/warder`, else
 * `~/.local/state/warder`. Always absolute. Throws `bad-configuration` for a relative path, because it
 * would name another directory in each working directory: below a workspace an agent could write it.
 */
export function stateDirectory(environment: Readonly<Record<string, string | undefined>>): string {
  const own = environment["WARDER_HOME"];
  if (own) return absolute("WARDER_HOME", own);
  const xdg = environment["XDG_STATE_HOME"];
  if (xdg) return join(absolute("XDG_STATE_HOME", xdg), "warder");
  return join(homeDirectory(), ".local", "state", "warder");
}

/** The home of whoever runs this: `$HOME`, else what the system says. Throws `bad-configuration` for an empty or relative one. */
export function homeDirectory(): string {
  return absolute("HOME", homedir());
}

function absolute(name: string, value: string): string {
  if (!value.startsWith("/")) throw new AgentError("bad-configuration", `${name} must be an absolute path, and is ${JSON.stringify(value)}.`);
  return resolve(value);
}
