import { readFileSync } from "node:fs";
import { join } from "node:path";
import { makeVisibleLine } from "../../../base/text.ts";
import type { Change } from "../../runtime.ts";
import {
  type ChangedRepository,
  formatOf,
  idsIn,
  inCheckingRepository,
  MAX_TEXT_BYTES,
  type ObjectFormat,
  type Subject,
  textOf,
} from "./checking-repository.ts";
import { readBytes } from "../files/content.ts";
import { readIndex } from "./index-file.ts";
import { lostHidden } from "./hidden-paths.ts";
import { headCommit, neededObjects, type NeededObject } from "./ref-files.ts";
import { repositorySecrets } from "./secrets.ts";
import type { SecretScan } from "../files/secret-scan.ts";

export type RepositoryCheck = Omit<ChangedRepository, "repository"> & {
  readonly secrets: SecretScan;
  /** Paths of the workspace that were not in the run's view, and that it must not take away by that. */
  readonly hidden: readonly string[];
  /** What the run made in repositories of submodules: a commit that names one of these names nothing on the host. */
  readonly madeInSubmodules: ReadonlySet<string>;
  /** Somebody named the repository, whatever its commits hold. */
  readonly allowsSecrets: boolean;
};

type Checked = Subject & RepositoryCheck;

/**
 * Why what a run did to a repository must not land, or null. In a repository of our own that borrows the workspace's objects, git indexes
 * and checks every new object (its hash, its form, that what it links to is there: `index-pack --strict`); then each object that a ref or
 * the index names must be there. Nothing of the run's or the workspace's configuration is read but the kind of hash.
 */
export async function checkRepository(repository: string, changes: readonly Change[], check: RepositoryCheck): Promise<string | null> {
  const there = changes.filter((change) => change.kind !== "deleted" && change.type === "file").map((change) => change.path.slice(repository.length + 1));
  if (there.length === 0) return null;
  const changed = { ...check, repository };
  const needed = needsOf({ ...changed, format: formatOf(changed) }, there);
  if (typeof needed === "string") return needed;
  return inCheckingRepository(changed, there, (subject, ids) => judge({ ...check, ...subject }, ids, needed));
}

async function judge(subject: Checked, ids: readonly string[], needed: readonly NeededObject[]): Promise<string | null> {
  if (ids.length > 0) {
    const fault = await checkObjects(subject, ids);
    if (fault !== null) return fault;
    const before = headCommit((path) => textOf(subject.layers.lower, `${subject.repository}/${path}`));
    const names = subject.allowsSecrets ? [] : await repositorySecrets(ids, before, subject);
    if (typeof names === "string") return names;
    if (names.length > 0) return `A commit holds ${names.join(", ")}: it lands only when ${makeVisibleLine(subject.repository)} is named.`;
  }
  return (await missingObject(subject, needed)) ?? (await lostSubmodule(subject, needed)) ?? (await takenAway(subject, ids, needed));
}

async function takenAway(subject: Checked, added: readonly string[], needed: readonly NeededObject[]): Promise<string | null> {
  if (subject.hidden.length === 0) return null;
  const { layers, repository, format } = subject;
  const read = (path: string): string | null => {
    const place = `${repository}/${path}`;
    return textOf(layers.upper, place) ?? textOf(layers.lower, place);
  };
  const bytes = readBytes(layers.upper, `${repository}/index`, MAX_TEXT_BYTES);
  const index = bytes === null ? null : readIndex(Buffer.from(bytes), format === "sha1" ? 20 : 32);
  const staged = index === null || typeof index === "string" ? null : new Set(index.entries.map(({ path }) => path));
  return lostHidden(subject, {
    hidden: subject.hidden,
    added,
    named: needed.filter(({ type }) => type !== "blob").map(({ id }) => id),
    staged,
    head: headCommit(read),
  });
}

type Named = ChangedRepository & Pick<RepositoryCheck, "madeInSubmodules"> & { readonly format: ObjectFormat };

function needsOf(subject: Named, paths: readonly string[]): readonly NeededObject[] | string {
  const needed: NeededObject[] = [];
  for (const path of paths) {
    if (path.startsWith("objects/")) continue;
    const text = path === "index" ? "" : textOf(subject.layers.upper, `${subject.repository}/${path}`);
    if (text === null) return `${makeVisibleLine(path)} is not there any more, or is larger than what git writes there.`;
    const found = path === "index" ? indexNeeds(subject) : neededObjects(path, text);
    if (typeof found === "string") return `${makeVisibleLine(path)}: ${found}`;
    for (const object of found) needed.push(object);
  }
  return needed;
}

function indexNeeds({ layers, repository, format, madeInSubmodules }: Named): readonly NeededObject[] | string {
  const [before, after] = [layers.lower, layers.upper].map((root) => {
    const bytes = readBytes(root, `${repository}/index`, MAX_TEXT_BYTES);
    return bytes === null ? "It is not there any more." : readIndex(Buffer.from(bytes), format === "sha1" ? 20 : 32);
  });
  if (after === undefined || typeof after === "string") return after ?? "It is not there any more.";
  const hidden = new Set(before === undefined || typeof before === "string" ? [] : before.entries.filter((entry) => entry.isHiding).map((entry) => entry.path));
  const hiding = after.entries.find((entry) => entry.isHiding && !hidden.has(entry.path));
  const lost = after.links.find((id) => madeInSubmodules.has(id));
  if (lost !== undefined) return lostReason(lost);
  return hiding === undefined ? after.needed : `The index hides changes of ${makeVisibleLine(hiding.path)} from git.`;
}

/** Every new object goes into one pack, which git then reads as if a stranger had sent it. */
async function checkObjects({ git, scratch, format }: Subject, ids: readonly string[]): Promise<string | null> {
  const packed = await git(["pack-objects", "--quiet", "--window=0", join(scratch, "all")], { input: `${ids.join("\n")}\n` });
  if (!packed.isDone) return `git refuses an object: ${makeVisibleLine(packed.complaint)}`;
  const pack = join(scratch, `all-${packed.stdout.trim()}.pack`);
  const index = join(scratch, "checked.idx");
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
async function lostSubmodule({ git, madeInSubmodules }: Checked, needed: readonly NeededObject[]): Promise<string | null> {
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
