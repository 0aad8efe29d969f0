import { lstatSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { AgentError } from "../../base/errors.ts";
import { makeVisibleLine } from "../../base/text.ts";
import { isWithin } from "../../policy/matching/paths.ts";
import { lookInGit } from "./git-look.ts";

/** A revision of the repository that a workspace lies in, from which the policies in it are read. */
export type BaseRevision = {
  /** As a person named it. */
  readonly revision: string;
  /** The id of its commit. */
  readonly commit: string;
  /** The directory that holds the repository. */
  readonly top: string;
};

/** A name, no option and no range; a colon separates it from a file. */
export const REVISION = /^[A-Za-z0-9][\w./@{}^~+-]{0,199}$/u;

/** `REV:FILE`, as `warder policy diff` takes it. Null: a name or a path; one with a colon begins with `./`, `/` or `~`. */
export function revisionIn(nameOrPath: string): { readonly revision: string; readonly file: string } | null {
  const colon = nameOrPath.indexOf(":");
  if (colon <= 0 || /^[./~]/u.test(nameOrPath)) return null;
  return { revision: nameOrPath.slice(0, colon), file: nameOrPath.slice(colon + 1) };
}

/** Null: the workspace lies in no repository. `workspace`: a real path. Throws `bad-policy` where git knows no such revision there. */
export function baseRevision(workspace: string, revision: string): BaseRevision | null {
  const top = repositoryOf(workspace);
  if (top === null) return null;
  const fault = (why: string, cause?: unknown): AgentError =>
    new AgentError("bad-policy", `The policy is to be read from the revision ${makeVisibleLine(revision)}, and ${why} in ${makeVisibleLine(top)}.`, {
      cause,
      remedy: "Fetch it (git fetch), or name another one: `policy: { from: … }` in settings.yaml",
    });
  if (!REVISION.test(revision) || revision.includes("..")) throw fault("that is no name of one");
  try {
    const commit = lookInGit(top, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`])
      .toString("utf8")
      .trim();
    return { revision, commit, top };
  } catch (error) {
    throw fault("git knows no such revision", error);
  }
}

/** The text of a file of the revision. Null: the path is not in the repository. Throws `bad-policy` where the revision has no such file. */
export function textAtRevision({ revision, commit, top }: BaseRevision, path: string): string | null {
  if (!isWithin(path, top) || path === top) return null;
  const name = relative(top, path);
  const shown = `${makeVisibleLine(name)} at ${makeVisibleLine(revision)} (${commit.slice(0, 12)})`;
  try {
    const [entry = ""] = lookInGit(top, ["ls-tree", "-z", "--full-tree", commit, "--", name]).toString("utf8").split("\0");
    const [, mode = "", id = ""] = /^(\d+) blob ([0-9a-f]+)\t/u.exec(entry) ?? [];
    // A link would lead to another file, and who wrote that one nobody looked at.
    if (!/^100(?:644|755)$/u.test(mode))
      throw new AgentError("bad-policy", entry === "" ? `There is no policy ${shown}.` : `The policy ${shown} is no regular file.`, {
        remedy: `Name a revision that has it: --policy REV:${makeVisibleLine(name)}`,
      });
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(lookInGit(top, ["cat-file", "blob", id]));
  } catch (error) {
    if (error instanceof AgentError) throw error;
    throw new AgentError("bad-policy", `The policy ${shown} cannot be read.`, { cause: error, remedy: "See: git status, git fsck" });
  }
}

/** Whether the file in the working tree holds this text. */
export function isAsInTree(path: string, text: string): boolean {
  const status = lstatSync(path, { throwIfNoEntry: false });
  if (status?.isFile() !== true || status.size !== Buffer.byteLength(text)) return false;
  try {
    return readFileSync(path, "utf8") === text;
  } catch {
    return false;
  }
}

/** The nearest directory, from the workspace upwards, that holds a repository. */
function repositoryOf(workspace: string): string | null {
  for (let at = workspace; ; at = dirname(at)) {
    if (lstatSync(join(at, ".git"), { throwIfNoEntry: false }) !== undefined) return at;
    if (at === dirname(at)) return null;
  }
}
