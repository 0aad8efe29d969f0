import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, posix, relative, resolve, sep } from "node:path";
import { AgentError } from "../../base/errors.ts";
import { makeVisibleLine } from "../../base/text.ts";
import { lookInGit } from "../../config/policy/git-look.ts";
import { readPolicyDocument } from "../../policy/language/document.ts";

const MAX_FILES = 8;

/**
 * Lays out a policy of a git revision, with all that it extends there, in a directory of its own. `revision` null: as it is staged. `file` is a path from `cwd`. Shipped
 * policies are those of this Warder. Throws `usage` where git knows no such revision, `bad-policy` where the file is not in it.
 */
export function layOutRevision(
  { revision, file }: { readonly revision: string | null; readonly file: string },
  cwd: string,
  into: string,
): { readonly file: string; readonly directory: string } {
  const top = git(cwd, ["rev-parse", "--show-toplevel"], "This is no git repository.").trimEnd();
  const real = git(cwd, ["rev-parse", "--show-prefix"], "This is no git repository.").trimEnd();
  const commit = revision === null ? "" : commitOf(cwd, revision);
  const first = relative(top, resolve(top, real, file))
    .split(sep)
    .join("/");
  let path: string | null = first;
  for (let count = 0; path !== null && count < MAX_FILES; count += 1) {
    if (path === "" || path.startsWith("../") || posix.isAbsolute(path))
      throw new AgentError("bad-policy", `${makeVisibleLine(path)} is outside the repository, so no revision has it.`, {
        remedy: "Compare files: warder policy diff BEFORE AFTER",
      });
    const text = git(cwd, ["cat-file", "blob", `${commit}:${path}`], `There is no ${path} ${revision === null ? "staged" : `at ${revision}`}.`);
    const target = join(into, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
    path = parentOf(path, text);
  }
  const directory = join(into, real);
  mkdirSync(directory, { recursive: true });
  return { file: join(into, first), directory };
}

/** The path of the parent in the repository; null for none, or for a shipped one. What is wrong with the text is told when it is loaded. */
function parentOf(path: string, text: string): string | null {
  const reading = readPolicyDocument(path, text);
  const parent = "diagnostics" in reading ? undefined : reading.document.extends;
  if (parent === undefined || !parent.includes("/")) return null;
  return posix.isAbsolute(parent) ? parent : posix.join(posix.dirname(path), parent);
}

function commitOf(cwd: string, revision: string): string {
  return git(cwd, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`], `git knows no revision ${revision}.`).trimEnd();
}

function git(cwd: string, argv: readonly string[], fault: string): string {
  try {
    return lookInGit(cwd, argv, true).toString("utf8");
  } catch (error) {
    throw new AgentError(argv[0] === "cat-file" ? "bad-policy" : "usage", makeVisibleLine(fault), {
      cause: error,
      remedy: "Name a revision and a file that it has: warder policy diff main:policy.yaml policy.yaml",
    });
  }
}
