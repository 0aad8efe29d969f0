import { execFileSync } from "node:child_process";

const MAX_BYTES = 9 * 1024 ** 2;
const LOOK_TIMEOUT_MS = 30_000;

/**
 * What git says of a repository that somebody else may have written into. It only reads: no hook, no monitor, no pager, nothing fetched, and no object that stands in for
 * another. `inherits`: also with the caller's repository and index, as in a hook of git's. Throws what git's failure is.
 */
export function lookInGit(directory: string, argv: readonly string[], inherits = false): Buffer {
  const own = Object.entries(process.env).filter(([name]) => inherits || !name.startsWith("GIT_"));
  const env = {
    ...Object.fromEntries(own),
    GIT_NO_LAZY_FETCH: "1",
    // Where git knows no such variable: a fetch has no way to go.
    GIT_ALLOW_PROTOCOL: "none",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_LITERAL_PATHSPECS: "1",
    GIT_TERMINAL_PROMPT: "0",
  };
  const settings = ["core.fsmonitor=false", "core.hooksPath=/dev/null", "protocol.allow=never"].flatMap((setting) => ["-c", setting]);
  return execFileSync("git", [...settings, "-C", directory, ...argv], {
    env,
    stdio: ["ignore", "pipe", "ignore"],
    timeout: LOOK_TIMEOUT_MS,
    maxBuffer: MAX_BYTES,
  });
}
