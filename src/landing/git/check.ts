import { readFileSync } from "node:fs";
import { join } from "node:path";
import { makeVisibleLine } from "../../base/text.ts";
import { idsIn, type Subject } from "./checking-repository.ts";
import { lostHidden } from "./hidden-paths.ts";
import type { RepositoryMoves } from "./moves.ts";
import type { RunsRepository } from "./run.ts";
import { repositorySecrets } from "./secrets.ts";
import type { SecretScan } from "../../sandbox/workspace/files/secret-scan.ts";

/** An object that must be there, and of which type it must be, where that is known. */
type NeededObject = { readonly id: string; readonly type: "commit" | "blob" | null };

export type RepositoryCheck = {
  readonly secrets: SecretScan;
  /** Paths of the workspace that were not in the run's view, and that it must not take away by that. */
  readonly hidden: readonly string[];
  /** What the run made in repositories of submodules: a commit that names one of these names nothing on the host. */
  readonly madeInSubmodules: ReadonlySet<string>;
  /** Somebody named the repository, whatever its commits hold. */
  readonly allowsSecrets: boolean;
};

type Checked = Subject & RepositoryCheck;

const GITLINK = "160000";

/** The pack of all that a run added. */
export const CHECKED = "all";

/**
 * Why what a run did to a repository must not land, or null. In a repository of our own that borrows the workspace's objects, git indexes
 * and checks every new object (its hash, its form, that what it links to is there: `index-pack --strict`); then each object that a ref or
 * the index names must be there. Nothing of the run's or the workspace's configuration is read but the kind of hash, and how refs are stored.
 */
export async function judge(subject: Checked, { added, beginning, moves }: RunsRepository): Promise<string | null> {
  const needed = neededBy(moves);
  if (added.length > 0) {
    const fault = await checkObjects(subject, added, CHECKED);
    if (fault !== null) return fault;
    const names = subject.allowsSecrets ? [] : await repositorySecrets(added, beginning.head.id, subject);
    if (typeof names === "string") return names;
    if (names.length > 0) return `A commit holds ${names.join(", ")}: it lands only when ${makeVisibleLine(subject.repository)} is named.`;
  }
  return (
    lostLink(subject, moves) ??
    (await missingObject(subject, needed)) ??
    (await lostSubmodule(subject, needed)) ??
    (await lostHidden(subject, {
      hidden: subject.hidden,
      added,
      named: needed.filter(({ type }) => type !== "blob").map(({ id }) => id),
      unstaged: [...moves.staged].flatMap(([path, { after }]) => (after === null ? [path] : [])),
    }))
  );
}

function neededBy({ refs, head, index }: RepositoryMoves): readonly NeededObject[] {
  const needed: NeededObject[] = [];
  for (const { name, after } of refs) if (after !== null) needed.push({ id: after, type: name.startsWith("refs/heads/") ? "commit" : null });
  if (head !== null && head.id !== null) needed.push({ id: head.id, type: "commit" });
  for (const { after } of index) if (after !== null && after.mode !== GITLINK) needed.push({ id: after.id, type: "blob" });
  return needed;
}

function lostLink({ madeInSubmodules }: Checked, { index }: RepositoryMoves): string | null {
  const links = index.flatMap(({ after }) => (after?.mode === GITLINK ? [after.id] : []));
  const lost = links.find((id) => madeInSubmodules.has(id));
  return lost === undefined ? null : lostReason(lost);
}

/** Every new object goes into one pack, NAME-ID.pack, which git then reads as if a stranger had sent it. */
export async function checkObjects({ git, scratch, format }: Subject, ids: readonly string[], name: string): Promise<string | null> {
  if (ids.length === 0) return null;
  const packed = await git(["pack-objects", "--quiet", "--window=0", join(scratch, name)], { input: `${ids.join("\n")}\n` });
  if (!packed.isDone) return `git refuses an object: ${makeVisibleLine(packed.complaint)}`;
  const pack = join(scratch, `${name}-${packed.stdout.trim()}.pack`);
  const index = join(scratch, `${name}.idx`);
  const checked = await git(["index-pack", "--strict", "-o", index, pack]);
  if (!checked.isDone) return `git refuses an object: ${makeVisibleLine(checked.complaint)}`;
  const listed = await git(["show-index", `--object-format=${format}`], { input: readFileSync(index) });
  const found = new Set(idsIn(listed.stdout));
  return listed.isDone && found.size === ids.length && ids.every((id) => found.has(id)) ? null : "An object is not what its name says.";
}

async function missingObject({ git }: Subject, needed: readonly NeededObject[]): Promise<string | null> {
  if (needed.length === 0) return null;
  const input = needed.map(({ id }) => `${id}\n`).join("");
  const answer = await git(["cat-file", "--batch-check=%(objectname) %(objecttype)"], { input });
  if (!answer.isDone) return `git cannot check the commits: ${makeVisibleLine(answer.complaint)}`;
  const lines = answer.stdout.split("\n");
  for (const [at, { id, type }] of needed.entries()) {
    const found = /^([0-9a-f]+) (commit|blob|tree|tag)$/u.exec(lines[at] ?? "");
    if (found?.[1] !== id) return `The object ${id} is not there.`;
    if (type !== null && found[2] !== type) return `The object ${id} is no ${type}.`;
  }
  return null;
}

/** Looked at in the trees of what refs name: what lies between is the same history. */
export async function lostSubmodule(
  { git, madeInSubmodules }: Pick<Subject, "git"> & Pick<RepositoryCheck, "madeInSubmodules">,
  needed: readonly NeededObject[],
): Promise<string | null> {
  if (madeInSubmodules.size === 0) return null;
  for (const [id, type] of new Map(needed.map((object) => [object.id, object.type]))) {
    if (type === "blob") continue;
    const listed = await git(["ls-tree", "-r", "--full-tree", id]);
    // Of what need be no commit, a file has no trees.
    if (!listed.isDone && type === "commit") return `git cannot check the commits: ${makeVisibleLine(listed.complaint)}`;
    const links = listed.stdout.split("\n").flatMap((line) => /^160000 commit ([0-9a-f]+)\t/u.exec(line)?.[1] ?? []);
    const lost = links.find((link) => madeInSubmodules.has(link));
    if (lost !== undefined) return lostReason(lost);
  }
  return null;
}

function lostReason(id: string): string {
  return `It names the commit ${id}, which the run made in a submodule, and which does not land: commit in the submodule on the host, then here.`;
}
