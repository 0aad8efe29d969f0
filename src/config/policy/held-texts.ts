import { relative } from "node:path";
import { isWithin } from "../../policy/matching/paths.ts";
import { isShipped } from "../shipped-policies.ts";
import { type BaseRevision, isAsInTree, textAtRevision } from "./base-revision.ts";
import { type PolicyFile, realPath, shownName } from "./files.ts";

/** A text that is taken instead of what the disk holds. Null: it is the disk's. `path`: real and absolute. */
export type TextOf = (path: string) => string | null;

/** A text that is not the disk's. `file`: what it is called; null: as the file on the disk is. */
type HeldText = { readonly path: string; readonly file: string | null; readonly text: string; readonly identity: string };

/** Null: the text is what the disk holds. */
export type Held = (path: string) => HeldText | null;

export const onDisk: Held = () => null;

/** In the place of an inode: a text of a revision is known by its path alone. */
const OF_REVISION = "revision:";

/** Texts that are given first, then those of a base revision. `directory`: from where files are named. */
export function heldIn(base: BaseRevision | null, directory: string, textOf: TextOf = () => null): Held {
  return (path) => {
    const text = textOf(realPath(path));
    if (text !== null) return { path: realPath(path), file: null, text, identity: "" };
    if (base === null) return null;
    // What lies in the repository by its name does so whatever a link there says; what is linked into it lies there, too.
    const within = isWithin(path, base.top) ? path : realPath(path);
    const based = isShipped(within) ? null : textAtRevision(base, within);
    return based === null ? null : { path: within, file: `${base.revision}:${shownName(within, directory)}`, text: based, identity: `${OF_REVISION}${within}` };
  };
}

/** `differing`: the files that the working tree holds otherwise, or not at all, by their names in it. */
export type PolicyBase = { readonly revision: string; readonly commit: string; readonly differing: readonly string[] };

/** Null: no file of the policy lies in the repository. */
export function baseOf({ revision, commit, top }: BaseRevision, files: readonly PolicyFile[]): PolicyBase | null {
  const own = files.filter(isOfRevision);
  if (own.length === 0) return null;
  return Object.freeze({ revision, commit, differing: own.filter(({ path, text }) => !isAsInTree(path, text)).map(({ path }) => relative(top, path)) });
}

/** Whether a text is a revision's. */
export function isOfRevision({ identity }: PolicyFile): boolean {
  return identity.startsWith(OF_REVISION);
}
