import { lstatSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { AgentError } from "../../base/errors.ts";

/** A policy that binds beside the one that somebody names, and who alone may write it. */
export type Ceiling = {
  readonly path: string;
  /** Ids of users; anybody else who may write the file, or a directory above it, makes it none. */
  readonly owners: readonly number[];
};

/** The ceiling of the machine, which its administrator writes. */
const ORGANISATION = "/etc/warder/policy.yaml";

/** The ceilings of who runs this, where they exist: the person's own first, the organisation's last. */
export function ceilingsOf(stateDirectory: string, organisation: Ceiling = { path: ORGANISATION, owners: [0] }): readonly string[] {
  const own = { path: join(stateDirectory, "policy.yaml"), owners: [0, process.getuid?.() ?? 0] };
  return [own, organisation].filter(isThere).map(soundPath);
}

/** A link that leads nowhere is there: whoever removes what a ceiling is linked to does not lift it. */
function isThere({ path }: Ceiling): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return false;
    throw new AgentError("bad-policy", `Whether there is a policy ${path}, which binds every run, cannot be found out (${code ?? "unknown error"}).`, {
      cause: error,
      remedy: "Make its directory readable for you.",
    });
  }
}

/** The real path of a ceiling that its owners alone may change. Throws `bad-policy` for any other: what binds everybody is not somebody's. */
function soundPath({ path, owners }: Ceiling): string {
  const fault = writableBy(path, owners) ?? writableBy(realPathOf(path), owners);
  if (fault === null) return realPathOf(path);
  throw new AgentError("bad-policy", `The policy ${path} binds every run, and ${fault}.`, {
    remedy: "Let its owner alone write it and the directories above it: chown, chmod go-w",
  });
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    throw new AgentError(
      "bad-policy",
      `The policy ${path}, which binds every run, cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown error"}).`,
      {
        cause: error,
        remedy: "Put it back, or have its owner remove it.",
      },
    );
  }
}

/** Mode bits of who is neither the owner nor alone. */
const OTHERS_WRITE = 0o022;
const STICKY = 0o1000;

/** Who else may change what lies at a path, in words; null: nobody. In a directory with the sticky bit, others cannot replace what is not theirs. */
function writableBy(path: string, owners: readonly number[]): string | null {
  for (let at = path; ; at = dirname(at)) {
    const { uid, mode, isLink, isDirectory } = statusOf(at);
    if (uid !== 0 && !owners.includes(uid)) return `${at} belongs to the user ${String(uid)}`;
    const isOpen = !isLink && (mode & OTHERS_WRITE) !== 0 && !(isDirectory && (mode & STICKY) !== 0);
    if (isOpen) return `${at} may be written by others`;
    if (at === dirname(at)) return null;
  }
}

function statusOf(path: string): { readonly uid: number; readonly mode: number; readonly isLink: boolean; readonly isDirectory: boolean } {
  const status = lstatSync(path);
  return { uid: status.uid, mode: status.mode, isLink: status.isSymbolicLink(), isDirectory: status.isDirectory() };
}
