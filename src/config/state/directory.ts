import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { AgentError } from "../../base/errors.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Where Warder keeps its state: as {@link namedStateDirectory}, with the links above it resolved. Locks and mounts are made there by who
 * follows no link, and a home or its `.local` may well lie behind one. The directory itself is left as it is: a link in its place is refused.
 */
export function stateDirectory(environment: Environment): string {
  return withRealParent(namedStateDirectory(environment));
}

/**
 * The same as the environment writes it: `$WARDER_HOME`, else `$XDG_STATE_HOME/warder`, else
 * `~/.local/state/warder`. Always absolute. Throws `bad-configuration` for a relative path, because it
 * would name another directory in each working directory: below a workspace an agent could write it.
 */
export function namedStateDirectory(environment: Environment): string {
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

/** As far as it can be resolved; what cannot is said by who opens it. */
function withRealParent(path: string): string {
  const parent = dirname(path);
  if (parent === path) return path;
  try {
    return join(realpathSync(parent), basename(path));
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    return join(withRealParent(parent), basename(path));
  }
}
