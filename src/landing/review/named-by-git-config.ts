import { execFileSync } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, resolve } from "node:path";
import { isGitHook } from "../mechanisms/mechanisms.ts";
import { type Flag, type FlaggedChange, withFlags } from "./ranks.ts";
import { linkedDirectories } from "../../sandbox/workspace/scan/linked-repository.ts";
import { isWithin } from "../../sandbox/workspace/scan/roots.ts";

// A person's own configuration of git names programs and files of the workspace. It never changes by landing, and what it names does.

const MAX_CONFIG_FILES = 64;
const MAX_CONFIG_BYTES = 1024 * 1024;
const MAX_REPOSITORIES = 200;
const MAX_WORDS = 5000;

/** Values that git hands to a shell, or starts, git-config(1). */
const COMMANDS =
  /^(?:core\.(?:fsmonitor|sshcommand|editor|pager|askpass|gitproxy|alternaterefscommand)|sequence\.editor|gpg\..*program|gpg\.ssh\.defaultkeycommand|credential\..*helper|credential\.helper|filter\..*\.(?:clean|smudge|process)|diff\.external|diff\..*\.(?:textconv|command)|merge\..*\.driver|(?:merge|diff)tool\..*\.(?:cmd|path)|alias\..*|pager\..*|interactive\.difffilter|uploadpack\.packobjectshook|remote\..*\.(?:uploadpack|receivepack|vcs)|(?:browser|man)\..*\.(?:cmd|path)|sendemail\..*|trailer\..*\.(?:cmd|command)|submodule\..*\.update|hook\..*\.command|guitool\..*\.cmd|lfs\..*)$/u;
const FILES = /^(?:include\.path|includeif\..*\.path|core\.attributesfile|mailmap\.file|blame\.ignorerevsfile)$/u;
const HOOKS = "core.hookspath";

type Names = {
  /** Absolute paths that a value names, by the key. */ readonly files: Map<string, string>;
  /** What contains one of these, the same. */ readonly above: Map<string, string>;
  readonly hookDirectories: Set<string>;
};

/** The changes again; those that the configuration of a repository on the host names have a flag more. */
export function withGitNames(changes: readonly FlaggedChange[], workspace: string): readonly FlaggedChange[] {
  const names = namesOf(
    workspace,
    changes.map(({ path }) => path),
  );
  if (names.files.size + names.hookDirectories.size === 0) return changes;
  return changes.map((change) => {
    const flag = change.kind === "deleted" || change.type === "directory" ? null : flagFor(`${workspace}/${change.path}`, names, workspace);
    return flag === null ? change : { ...change, flags: withFlags(change.flags, [flag]) };
  });
}

function flagFor(path: string, { files, above, hookDirectories }: Names, workspace: string): Flag | null {
  for (const directory of hookDirectories)
    // All of the workspace is no directory of hooks; and what stands in the place of one, or above it, decides what is one.
    if (directory === workspace ? dirname(path) === workspace && isGitHook(path) : isWithin(path, directory) || isWithin(directory, path))
      return { kind: "git-hook", reason: "It lies where core.hooksPath of the repository says: git on this machine runs it." };
  const key = files.get(path) ?? above.get(path);
  return key === undefined ? null : { kind: "git-configuration", reason: `The configuration of git on this machine names it (${key}): git runs or reads it.` };
}

function namesOf(workspace: string, paths: readonly string[]): Names {
  const names: Names = { files: new Map(), above: new Map(), hookDirectories: new Set() };
  const home = homedir();
  const tops = repositoriesAt(workspace, paths);
  const own = ["/etc/gitconfig", `${home}/.config/git/config`, `${home}/.gitconfig`];
  for (const top of tops) {
    const seen = new Set<string>();
    const directories = [`${top}/.git`, ...linkedDirectories(top)];
    const pending = [...own, ...directories.flatMap((directory) => [`${directory}/config`, `${directory}/config.worktree`])].filter((file) => existsSync(file));
    for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
      if (seen.has(file) || seen.size >= MAX_CONFIG_FILES) continue;
      seen.add(file);
      for (const [key, value] of settingsIn(file)) {
        const included = /^include(?:if\..*)?\.path$/u.test(key) ? resolve(dirname(file), expanded(value, home)) : null;
        if (included !== null && existsSync(included)) pending.push(included);
        addNames(names, { key, value, included, top, workspace, home });
      }
    }
  }
  for (const [file, key] of names.files) for (let at = dirname(file); at.length > workspace.length; at = dirname(at)) names.above.set(at, key);
  return names;
}

type Setting = {
  readonly key: string;
  readonly value: string;
  readonly included: string | null;
  readonly top: string;
  readonly workspace: string;
  readonly home: string;
};

function addNames({ files, hookDirectories }: Names, { key, value, included, top, workspace, home }: Setting): void {
  const within = (path: string): readonly string[] => [...new Set([path, realOf(path)])].filter((candidate) => isWithin(candidate, workspace));
  if (key === HOOKS) for (const path of within(resolve(top, expanded(value, home)))) hookDirectories.add(path);
  else if (FILES.test(key)) for (const path of within(included ?? resolve(top, expanded(value, home)))) files.set(path, key);
  else if (COMMANDS.test(key) && !(key.startsWith("alias.") && !value.startsWith("!")))
    for (const word of wordsOf(value)) {
      // `$(git rev-parse --show-toplevel)/tools/x`, `$TOP/tools/x`.
      const rest = /^[^/]*\/(.+)$/u.exec(word)?.[1];
      for (const name of rest === undefined ? [word] : [word, rest])
        for (const path of within(resolve(top, expanded(name, home)))) if (path !== workspace && files.size < MAX_WORDS) files.set(path, key);
    }
}

function wordsOf(command: string): readonly string[] {
  return command
    .replace(/^!/u, "")
    .split(/[\s"'`;|&()<>=${}\\]+/u)
    .filter((word) => word !== "" && !word.startsWith("-"));
}

function expanded(path: string, home: string): string {
  return path.startsWith("~/") ? home + path.slice(1) : path;
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return path;
  }
}

/** The workspace's, one that it lies in, and those that changed paths lie in. */
function repositoriesAt(workspace: string, paths: readonly string[]): readonly string[] {
  const directories = new Set<string>();
  for (let at = workspace; ; at = dirname(at)) {
    directories.add(at);
    if (at === "/") break;
  }
  for (const path of paths)
    for (let at = dirname(`${workspace}/${path}`); at.length > workspace.length && !directories.has(at); at = dirname(at)) directories.add(at);
  const tops: string[] = [];
  for (const directory of directories)
    if (tops.length < MAX_REPOSITORIES && (existsSync(`${directory}/.git/config`) || linkedDirectories(directory).length > 0)) tops.push(directory);
  return tops;
}

/** Each setting of a file, its key in git's spelling. Nothing when git cannot read it: then it obeys nothing in it. */
function settingsIn(file: string): readonly (readonly [key: string, value: string])[] {
  try {
    const listed = execFileSync("git", ["config", "--file", file, "--no-includes", "--list", "-z"], {
      cwd: "/",
      env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      maxBuffer: MAX_CONFIG_BYTES,
      timeout: 10_000,
    });
    return listed
      .split("\0")
      .filter((entry) => entry !== "")
      .map((entry) => {
        const end = entry.indexOf("\n");
        return end < 0 ? [entry, ""] : [entry.slice(0, end), entry.slice(end + 1)];
      });
  } catch (error) {
    if (error instanceof Error && ("status" in error || "code" in error)) return [];
    throw error;
  }
}
