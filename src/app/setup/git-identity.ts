import { execFileSync } from "node:child_process";
import { isIdentityWord } from "../../base/identity-words.ts";
import type { GitIdentity } from "../../policy/policy.ts";

const LOOK_TIMEOUT_MS = 5000;

/** What a sandbox is told of the git configuration of this machine's user. */
export type PersonsGit = {
  /** Who commits; null: nobody is named, or git is not there. */
  readonly identity: GitIdentity | null;
  /** Whether commits or tags are signed, with keys that no sandbox has. */
  readonly isSigning: boolean;
};

/** What the git configuration of this machine's user says in a directory. It is read by git itself and never shown to a sandbox. */
export function personsGit(workspace: string): PersonsGit {
  const found = new Map<string, string>();
  // Of several values the last one holds. Reading starts no program: https://git-scm.com/docs/git-config
  for (const entry of configured(workspace).split("\0")) {
    const end = entry.indexOf("\n");
    // A key without a value is true.
    found.set(end < 0 ? entry : entry.slice(0, end), end < 0 ? "true" : entry.slice(end + 1));
  }
  const name = found.get("user.name") ?? "";
  const email = found.get("user.email") ?? "";
  const isSigning = ["commit.gpgsign", "tag.gpgsign"].some((key) => /^(?:true|yes|on|[1-9]\d*)$/iu.test(found.get(key) ?? ""));
  return { identity: isIdentityWord(name) && isIdentityWord(email) ? { name, email } : null, isSigning };
}

function configured(workspace: string): string {
  try {
    const argv = ["-C", workspace, "config", "--null", "--get-regexp", "^(user\\.(name|email)|(commit|tag)\\.gpgsign)$"];
    return execFileSync("git", argv, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], timeout: LOOK_TIMEOUT_MS });
  } catch {
    // Nothing of it is set (exit code 1), or there is no git: a commit inside says what it misses.
    return "";
  }
}
