import { execFileSync } from "node:child_process";
import { isIdentityWord } from "../../base/identity-words.ts";
import type { GitIdentity } from "../../policy/policy.ts";

const LOOK_TIMEOUT_MS = 5000;

/**
 * Who commits in a directory, by the git configuration of this machine's user, which is read by git itself and never shown to a sandbox. Null where it
 * names nobody, or git is not there.
 */
export function gitIdentityOf(workspace: string): GitIdentity | null {
  const found = new Map<string, string>();
  // Of several values the last one holds. Reading starts no program: https://git-scm.com/docs/git-config
  for (const entry of configured(workspace).split("\0")) {
    const end = entry.indexOf("\n");
    if (end > 0) found.set(entry.slice(0, end), entry.slice(end + 1));
  }
  const name = found.get("user.name") ?? "";
  const email = found.get("user.email") ?? "";
  return isIdentityWord(name) && isIdentityWord(email) ? { name, email } : null;
}

function configured(workspace: string): string {
  try {
    const argv = ["-C", workspace, "config", "--null", "--get-regexp", "^user\\.(name|email)$"];
    return execFileSync("git", argv, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], timeout: LOOK_TIMEOUT_MS });
  } catch {
    // Nobody is named (exit code 1), or there is no git: a commit inside says what it misses.
    return "";
  }
}
