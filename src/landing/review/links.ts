import type { Change } from "../../sandbox/runtime.ts";
import type { Layers } from "../../sandbox/workspace/files/layers.ts";
import { linkTarget } from "../../sandbox/workspace/files/tree.ts";
import type { Manifest } from "../../sandbox/workspace/scan/manifest.ts";

/** As many as the kernel follows, path_resolution(7). */
const MAX_LINKS = 40;
/** Other names of one path; further ones are not looked for, and that is said. */
export const MAX_ALIASES = 64;

/** Other relative paths by which the workspace's links reach what lies at a path, at most {@link MAX_ALIASES}. */
export type Aliases = (path: string) => readonly string[];

/** Of the links that were there and of those that the run made; what it took away counts too, as a landing may leave it. */
export function aliasesIn(workspace: string, layers: Layers, manifest: Manifest, changes: readonly Change[]): Aliases {
  const links = new Map<string, string[]>();
  const add = (path: string, target: string | null): void => {
    if (target !== null) links.set(path, [...(links.get(path) ?? []), target]);
  };
  for (const [path, signature] of manifest) if (signature.startsWith("l ")) add(path, linkTarget(layers.lower, path));
  for (const { path, type, kind } of changes) if (type === "link" && kind !== "deleted" && kind !== "mode") add(path, linkTarget(layers.upper, path));
  if (links.size === 0) return () => [];
  const byTarget = new Map<string, Set<string>>();
  for (const [path, targets] of links)
    for (const target of targets) {
      const meant = realPath(namesOf(target, path, workspace), links, workspace);
      if (meant === null || meant === "" || meant === path) continue;
      byTarget.set(meant, (byTarget.get(meant) ?? new Set()).add(path));
    }
  return (path) => {
    const found = new Set<string>();
    const pending = [path];
    for (let at = pending.pop(); at !== undefined; at = pending.pop())
      for (let end = at.length; end > 0; end = at.lastIndexOf("/", end - 1))
        for (const link of byTarget.get(at.slice(0, end)) ?? []) {
          const alias = link + at.slice(end);
          if (found.has(alias) || alias === path || found.size >= MAX_ALIASES) continue;
          found.add(alias);
          pending.push(alias);
        }
    return [...found];
  };
}

type Links = ReadonlyMap<string, readonly string[]>;

/** The names on the way from the workspace, `..` among them; null when it begins elsewhere. */
function namesOf(target: string, path: string, workspace: string): readonly string[] | null {
  const isOfWorkspace = target === workspace || target.startsWith(`${workspace}/`);
  if (target.startsWith("/") && !isOfWorkspace) return null;
  const above = isOfWorkspace ? [] : path.split("/").slice(0, -1);
  return [...above, ...target.slice(isOfWorkspace ? workspace.length : 0).split("/")].filter((name) => name !== "" && name !== ".");
}

/** Where the names lead when links are followed, also the last one's; null when that is outside, or nowhere. */
function realPath(names: readonly string[] | null, links: Links, workspace: string): string | null {
  if (names === null) return null;
  const pending = names.toReversed();
  const at: string[] = [];
  let followed = 0;
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (name === "..") {
      if (at.pop() === undefined) return null;
      continue;
    }
    const path = [...at, name].join("/");
    const target = links.get(path)?.at(-1);
    if (target === undefined) {
      at.push(name);
      continue;
    }
    const further = namesOf(target, path, workspace);
    followed += 1;
    if (further === null || followed > MAX_LINKS) return null;
    at.length = 0;
    pending.push(...further.toReversed());
  }
  return at.join("/");
}
