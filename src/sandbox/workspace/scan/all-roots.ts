import { AgentError } from "../../../base/errors.ts";
import { keepsChanges, type SandboxProfile } from "../../runtime.ts";
import { openKeylessFiles } from "../files/keyless-files.ts";
import { MARKED_BY } from "../files/private-key.ts";
import { guardedIn, isGitFile } from "./linked-repository.ts";
import { compilePatterns, type PathPatterns } from "./path-patterns.ts";
import { isWithin } from "./roots.ts";
import { isRunningTodo } from "./unfinished-git.ts";
import { fileIdentity, type Scan, type ScanOptions, scanRoot } from "./scan.ts";

/** A directory of Warder's state that remembers which files hold no key, and when this is asked. */
type LookedAt = { readonly directory: string; readonly now: number; readonly keepsCtime?: (path: string) => boolean };

/**
 * Looks through all roots of a profile, in its order, before a session. `withStats` asks for the entries
 * of these: of none, of those that a run changes (the workspace, and its repository where that lies apart), or of all. Throws `bad-configuration` for what cannot be made safe, a forbidden file that is also visible by another name included.
 */
export function scanRoots(profile: SandboxProfile, withStats: "none" | "changed" | "all", lookedAt?: LookedAt): readonly Scan[] {
  const options = scanOptions(profile, "start");
  const scans = profile.roots.map((root, index) => {
    const keyless =
      lookedAt === undefined || !options.findsKeys ? undefined : openKeylessFiles(lookedAt.directory, root.path, { ...lookedAt, rules: MARKED_BY });
    const scan = scanRoot(root.path, { ...options, keyless, withStats: withStats === "all" || (withStats === "changed" && isChanged(profile, index)) });
    keyless?.save();
    return scan;
  });
  checkAliases(profile, scans);
  return scans;
}

/** Whether a run's changes of a root are kept apart: of the workspace, and of its repository where that is a root of its own. */
export function isChanged({ roots, repository }: Pick<SandboxProfile, "roots" | "repository">, index: number): boolean {
  return index === 0 || (repository !== undefined && roots[index]?.path === repository.path);
}

/** The same with all entries of every root, after a command ran in a bound workspace; what cannot be judged is told to `onUnjudged`, or refused. */
export function scanAfterCommand(profile: SandboxProfile, onUnjudged?: ScanOptions["onUnjudged"]): readonly Scan[] {
  const options = { ...scanOptions(profile, "after"), onUnjudged };
  return profile.roots.map((root) => scanRoot(root.path, { ...options, withStats: true }));
}

function scanOptions(profile: SandboxProfile, moment: ScanOptions["moment"]): Omit<ScanOptions, "withStats"> {
  const roots = profile.roots.map((root) => root.path);
  return {
    forbidden: compilePatterns([...profile.forbidden, ...(profile.keys ?? [])]),
    alwaysForbidden: compilePatterns(profile.forbidden),
    findsKeys: moment === "start" && (profile.keys ?? []).length > 0,
    protected: protectedIn(profile),
    own: new Set(profile.ownPaths),
    // A root inside a root is looked through by itself.
    skipped: new Set(roots),
    isVisible: (path) => roots.some((root) => isWithin(path, root)),
    count: { entries: 0, measuredBytes: 0, heads: 0 },
    moment,
  };
}

function protectedIn(profile: SandboxProfile): PathPatterns {
  const stated = compilePatterns(profile.protected);
  const isBound = !keepsChanges(profile);
  const isGuarded = profile.repository === undefined ? () => false : guardedIn(profile.repository, isBound);
  return { covers: (path) => stated.covers(path) || isGuarded(path) || (isBound && (isGitFile(path) || isRunningTodo(path))) };
}

/** A hard link shows a forbidden file's content by another name. A link that lies outside every root is visible to nobody inside. */
function checkAliases(profile: SandboxProfile, scans: readonly Scan[]): void {
  const aliased = scans.flatMap((scan) => scan.aliased);
  if (aliased.length === 0) return;
  const options = { ...scanOptions(profile, "start"), findsKeys: false };
  for (const root of profile.roots) {
    for (const [path, stats] of scanRoot(root.path, { ...options, withStats: true }).entries) {
      if (!stats.isFile() || stats.nlink < 2) continue;
      const hidden = aliased.find((file) => file.file === fileIdentity(stats));
      if (hidden !== undefined) refuse(`The forbidden file ${hidden.path} is also called ${path}: remove the hard link, or forbid that name too.`);
    }
  }
}

function refuse(message: string): never {
  throw new AgentError("bad-configuration", message);
}
