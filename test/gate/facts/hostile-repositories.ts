import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A repository that makes git run a program of its own. */
export type Hostile = {
  readonly name: string;
  /** What makes no repository hostile yet. */
  prepare(workspace: string): void;
  /** The hostile part; `evil` is the absolute path of a program that leaves a canary. */
  harm(workspace: string, evil: string): void;
  /** A command that starts the program, if somebody runs it; null where this needs a server or another version of git. */
  readonly shows: string | null;
  /** Where the looks at it begin. */
  readonly at?: string;
};

const ENV = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_AUTHOR_DATE: "2026-01-01T00:00:00Z", GIT_COMMITTER_DATE: "2026-01-01T00:00:00Z" };

export function git(directory: string, ...words: readonly string[]): string {
  const options = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"];
  return execFileSync("git", [...options, ...words], { cwd: directory, env: ENV, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** A repository with two commits, a change that is not committed, a remote and a branch that follows it. */
export function ordinary(directory: string, ...options: readonly string[]): void {
  mkdirSync(directory, { recursive: true });
  git(directory, "init", "-q", "-b", "main", ...options);
  for (const text of ["foo\n", "foo\nbar\n"]) {
    writeFileSync(join(directory, "a.txt"), text);
    writeFileSync(join(directory, ".gitattributes"), "*.txt diff=x filter=x merge=x\n");
    git(directory, "add", "-A");
    git(directory, "commit", "-qm", "a change");
  }
  writeFileSync(join(directory, "a.txt"), "foo\nbar\nbaz\n");
  appendFileSync(join(directory, ".git/config"), SETTINGS);
}

/** A remote that is no directory, and that nobody is at. */
export const FAR = "https://127.0.0.1:1/r.git";

/** Written at once: a process of git for each would take most of the time. */
const SETTINGS = `[remote "origin"]
	url = ${FAR}
	fetch = +refs/heads/*:refs/remotes/origin/*
[branch "main"]
	remote = origin
	merge = refs/heads/main
[user]
	name = A Person
	email = a@person.test
[pull]
	rebase = true
[core]
	autocrlf = input
[filter "lfs"]
	clean = git-lfs clean -- %f
	required = true
`;

export const here = (workspace: string): void => ordinary(workspace);
export const config = (workspace: string, text: string): void => appendFileSync(join(workspace, ".git/config"), text);

/** Keys that name a program, and a command that starts it. */
const KEYS: readonly (readonly [key: string, shows: string | null, ...further: readonly (readonly [string, string])[]])[] = [
  ["core.fsmonitor", "git status"],
  ["diff.external", "git diff"],
  ["diff.x.textconv", "git log -p"],
  ["diff.x.command", "git diff"],
  ["filter.x.clean", "git diff"],
  ["filter.x.process", "git diff"],
  ["filter.x.smudge", "git checkout -f HEAD~1"],
  ["core.sshCommand", "git fetch", ["remote.origin.url", "ssh://127.0.0.1:1/r"]],
  ["core.gitProxy", "git fetch", ["remote.origin.url", "git://127.0.0.1:1/r"]],
  ["remote.origin.uploadpack", "git fetch", ["remote.origin.url", "."]],
  ["remote.origin.url", "git fetch"],
  ["core.editor", "git commit --allow-empty"],
  ["alias.refs", null],
  ["tar.x.command", "git archive --format=x HEAD"],
  ["merge.x.driver", "git cherry-pick main~1"],
  ["trailer.x.command", "git commit --allow-empty -m a --trailer x:y"],
  ["gpg.program", "git commit --allow-empty -m a", ["commit.gpgSign", "true"]],
  ["gpg.ssh.defaultKeyCommand", "git commit --allow-empty -m a", ["commit.gpgSign", "true"], ["gpg.format", "ssh"]],
  ["credential.helper", null],
  ["uploadpack.packObjectsHook", null],
  ["gc.recentObjectsHook", null],
];

function byKey([key, shows, ...further]: (typeof KEYS)[number]): Hostile {
  const harm = (workspace: string, evil: string): void => {
    for (const [name, value] of further) git(workspace, "config", name, value);
    if (key === "remote.origin.url") git(workspace, "config", "protocol.ext.allow", "always");
    git(workspace, "config", key, key === "remote.origin.url" ? `ext::${evil}` : key === "alias.refs" ? `!${evil}` : evil);
    if (key === "merge.x.driver") git(workspace, "checkout", "-qf", "main");
  };
  return { name: key, prepare: here, harm, shows };
}

/** The same key in other spellings, and in other files. */
const SPELLINGS: readonly (readonly [name: string, text: (evil: string) => string])[] = [
  ["capitals", (evil) => `[CORE]\n\tFSMonitor = ${evil}\n`],
  ["a setting beside its section's name", (evil) => `[core] fsmonitor=${evil}\n`],
  ["a value that goes on in the next line", (evil) => `[core]\nfsmonitor = ${evil.slice(0, 4)}\\\n${evil.slice(4)}\n`],
  ["quotes, and lines that end with CR", (evil) => `[core]\r\n  fsmonitor = "${evil}" ; a comment\r\n`],
  ["a comment before it", (evil) => `[core] # [user]\nfsmonitor="${evil}"\n`],
];

function bySpelling([name, text]: (typeof SPELLINGS)[number]): Hostile {
  return { name: `core.fsmonitor, with ${name}`, prepare: here, harm: (workspace, evil) => config(workspace, text(evil)), shows: "git status" };
}

export const HOSTILE_KEYS: readonly Hostile[] = [...KEYS.map(byKey), ...SPELLINGS.map(bySpelling)];
