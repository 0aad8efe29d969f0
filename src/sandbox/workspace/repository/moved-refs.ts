import type { Change } from "../../runtime.ts";
import { type ChangedRepository, textOf } from "./checking-repository.ts";
import { headCommit, packedIds } from "./ref-files.ts";

/** A ref that names something else once a run's changes land. */
export type MovedRef = {
  /** The change that moves it, relative to the repository: its own file, or the list of packed refs. */ readonly file: string;
  readonly name: string;
  /** Ids, or what a symbolic ref says; null: there is none. */
  readonly before: string | null;
  readonly after: string | null;
};

export type RefMoves = {
  readonly moved: readonly MovedRef[];
  /** How many refs more, by the change that moves them, were not looked at. */
  readonly unread: ReadonlyMap<string, number>;
  /** The commits that HEAD stands for. */
  readonly head: { readonly before: string | null; readonly after: string | null };
};

/** A list of packed refs has room for a million, and each is looked up twice. */
const MAX_READ = 1000;

type Read = (path: string) => string | null;

/** Which refs of a repository the changes in it move. */
export function movedRefs({ repository, layers }: Pick<ChangedRepository, "repository" | "layers">, changes: readonly Change[]): RefMoves {
  const files = new Map<string, Change["kind"]>();
  for (const { path, kind, type } of changes) {
    const file = path.slice(repository.length + 1);
    if (type !== "directory" && (kind !== "deleted" || !files.has(file))) files.set(file, kind);
  }
  const before: Read = (path) => textOf(layers.lower, `${repository}/${path}`);
  const after: Read = (path) => {
    const kind = files.get(path);
    if (kind === undefined) return before(path);
    return kind === "deleted" ? null : textOf(layers.upper, `${repository}/${path}`);
  };
  const packed = { before: packedIds(before("packed-refs") ?? ""), after: packedIds(after("packed-refs") ?? "") };
  const names = new Set([...files.keys()].filter((file) => file.startsWith("refs/") || file === "ORIG_HEAD"));
  for (const name of [...packed.before.keys(), ...packed.after.keys()]) if (packed.before.get(name) !== packed.after.get(name)) names.add(name);
  const moved: MovedRef[] = [];
  const unread = new Map<string, number>();
  for (const [index, name] of [...names].entries()) {
    const file = files.has(name) ? name : "packed-refs";
    if (index >= MAX_READ) {
      unread.set(file, (unread.get(file) ?? 0) + 1);
      continue;
    }
    const from = before(name)?.trim() ?? packed.before.get(name) ?? null;
    const to = after(name)?.trim() ?? packed.after.get(name) ?? null;
    if (from !== to) moved.push({ file, name, before: from, after: to });
  }
  const head = { before: headCommit(before), after: headCommit(after) };
  const now = after("HEAD")?.trim() ?? "";
  if (before("HEAD")?.trim() !== now) moved.push({ file: "HEAD", name: `HEAD (${now})`, before: head.before, after: head.after });
  return { moved, unread, head };
}
