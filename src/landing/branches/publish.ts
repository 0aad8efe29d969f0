import { makeVisible, makeVisibleLine } from "../../base/text.ts";
import type { LinkedRepository } from "../../sandbox/runtime.ts";
import { directoryNamed, loadBeginnings, OWN_REPOSITORY } from "../../sandbox/workspace/repository/beginnings.ts";
import { type PersonsRepository, pushingGit } from "../git/person-git.ts";
import type { Head } from "../../sandbox/workspace/repository/state.ts";

export { runBeside as openWith } from "../git/person-git.ts";

// A branch goes from the person's repository to a remote of theirs, by their git, as if they had typed it: their configuration says where that is.

/** What would be pushed, and where to; every text may be shown. */
export type Publication = {
  readonly remote: string;
  /** Where it goes, after `pushurl` and `insteadOf`; passwords are left out. */ readonly urls: readonly string[];
  readonly branch: string;
  readonly commit: string;
  /** By id and subject, the newest first. */ readonly commits: readonly string[];
  readonly stat: string;
};

export type PublicationPlan = {
  readonly remote: string;
  /** Without `refs/heads/`. */ readonly branch: string;
  /** The commit that it began at; null: none. */ readonly base: string | null;
};

const MAX_COMMITS = 30;
const MAX_STAT_FILES = 60;

/** The workspace's own repository, and where its HEAD was when a run began; null: it had none. `beginnings`: the file that says so. */
export function personsRepository(of: {
  readonly workspace: string;
  readonly linked: LinkedRepository | undefined;
  readonly beginnings: string;
}): { readonly repository: PersonsRepository; readonly head: Head } | null {
  const beginning = loadBeginnings(of.beginnings).get(OWN_REPOSITORY);
  if (beginning === undefined || typeof beginning === "string") return null;
  return { repository: { directory: directoryNamed(of, OWN_REPOSITORY), top: of.workspace, workspace: of.workspace }, head: beginning.head };
}

/** The commit that a branch names, or null. */
export async function commitOf(repository: PersonsRepository, branch: string): Promise<string | null> {
  const found = await pushingGit(repository).run(["rev-parse", "-q", "--verify", `refs/heads/${branch}^{commit}`]);
  return found.isDone ? found.stdout.trim() : null;
}

/** Reads what a push of a branch would do; or says why there is none. */
export async function publicationOf(repository: PersonsRepository, { remote, branch, base }: PublicationPlan): Promise<Publication | string> {
  const git = pushingGit(repository);
  const remotes = await git.run(["remote"]);
  if (!remotes.isDone) return `git cannot list the remotes: ${remotes.complaint}`;
  const names = remotes.stdout.split("\n").filter((name) => name !== "");
  // A URL or a path in the place of a name is none that somebody gave a name to.
  if (!names.includes(remote))
    return `There is no remote ${makeVisibleLine(remote)}${names.length === 0 ? "" : `; there is ${names.map(makeVisibleLine).join(", ")}`}.`;
  const found = await git.run(["remote", "get-url", "--push", "--all", remote]);
  const urls = found.stdout.split("\n").filter((url) => url !== "");
  if (!found.isDone || urls.length === 0) return `git does not say where ${makeVisibleLine(remote)} is: ${found.complaint}`;
  const commit = await commitOf(repository, branch);
  if (commit === null) return `There is no branch ${makeVisibleLine(branch)}.`;
  const from = base ?? (await git.run(["hash-object", "-t", "tree", "--stdin"])).stdout.trim();
  const [listed, stat] = await Promise.all([
    git.run(["log", "-z", `--max-count=${String(MAX_COMMITS)}`, "--format=%h %s", commit, ...(base === null ? [] : [`^${base}`]), "--"]),
    git.run(["diff", "--no-ext-diff", "--no-textconv", "--no-color", "--stat=78", `--stat-count=${String(MAX_STAT_FILES)}`, from, commit, "--"]),
  ]);
  if (!listed.isDone || !stat.isDone) return `git cannot show the branch: ${listed.isDone ? stat.complaint : listed.complaint}`;
  return {
    remote,
    urls: urls.map((url) => makeVisibleLine(withoutPassword(url))),
    branch,
    commit,
    commits: listed.stdout.split("\0").flatMap((line) => (line === "" ? [] : [makeVisibleLine(line)])),
    stat: makeVisible(stat.stdout).trimEnd(),
  };
}

function withoutPassword(url: string): string {
  return url.replace(/(?<=:\/\/)[^/@]*(?=@)/u, "…");
}

/** Pushes just this commit under just this name, never over another; why not, or null. */
export async function push(repository: PersonsRepository, { remote, branch, commit }: Publication): Promise<string | null> {
  const refspec = `${commit}:refs/heads/${branch}`;
  const end = await pushingGit(repository).run(["push", "--quiet", "--no-follow-tags", "--no-force", "--recurse-submodules=no", "--", remote, refspec]);
  return end.isDone ? null : end.complaint;
}
