import { spawnSync } from "node:child_process";
import { isIdentityWord } from "../../base/identity-words.ts";
import { makeVisibleLine } from "../../base/text.ts";
import type { GitIdentity } from "../../policy/policy.ts";

/** A busy machine takes seconds for it; without it nothing inside can be committed. */
const LOOK_LIMIT_MS = 60_000;

/** What a sandbox is told of the git configuration of this machine's user. */
export type PersonsGit = {
  /** Who commits; null: nobody is named, or git is not there. */
  readonly identity: GitIdentity | null;
  /** Whether commits or tags are signed, with keys that no sandbox has. */
  readonly isSigning: boolean;
  /** Why git did not say it, in a sentence's words; null: it did, or there is no git. */
  readonly fault: string | null;
};

/** What the git configuration of this machine's user says in a directory. It is read by git itself and never shown to a sandbox. */
export function personsGit(workspace: string, limitMs = LOOK_LIMIT_MS): PersonsGit {
  const { text, fault } = configured(workspace, limitMs);
  const found = new Map<string, string>();
  // Of several values the last one holds. Reading starts no program: https://git-scm.com/docs/git-config
  for (const entry of text.split("\0")) {
    const end = entry.indexOf("\n");
    // A key without a value is true.
    found.set(end < 0 ? entry : entry.slice(0, end), end < 0 ? "true" : entry.slice(end + 1));
  }
  const name = found.get("user.name") ?? "";
  const email = found.get("user.email") ?? "";
  const isSigning = ["commit.gpgsign", "tag.gpgsign"].some((key) => /^(?:true|yes|on|[1-9]\d*)$/iu.test(found.get(key) ?? ""));
  return { identity: isIdentityWord(name) && isIdentityWord(email) ? { name, email } : null, isSigning, fault };
}

function configured(workspace: string, limitMs: number): { readonly text: string; readonly fault: string | null } {
  const argv = ["-C", workspace, "config", "--null", "--get-regexp", "^(user\\.(name|email)|(commit|tag)\\.gpgsign)$"];
  const { error, status, stdout, stderr } = spawnSync("git", argv, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], timeout: limitMs });
  if (status === 0) return { text: stdout, fault: null };
  const code = error !== undefined && "code" in error ? error.code : undefined;
  // Nothing of it is set, or there is no git: a commit inside says what it misses.
  if (status === 1 || code === "ENOENT") return { text: "", fault: null };
  if (code === "ETIMEDOUT") return { text: "", fault: `git did not answer for ${String(limitMs / 1000)} s` };
  const [said = ""] = stderr.split("\n", 1);
  return { text: "", fault: said === "" ? "git failed" : makeVisibleLine(said) };
}
