import { statSync } from "node:fs";
import { newId } from "../../base/ids.ts";
import type { SandboxUser, WorkspaceMount } from "../mounts.ts";
import type { SandboxProfile } from "../runtime.ts";
import type { HoldRecord } from "./mounts/guardian.ts";
import { makeImage } from "./mounts/image.ts";
import { mounterOf, type workspacePaths as WorkspacePaths, type WorkspaceRecord } from "./record.ts";
import type { Tree } from "./trees.ts";

export type HostPlan = {
  readonly records: readonly HoldRecord[];
  /** For each root what the container binds. */ readonly sources: readonly string[];
  readonly image?: string | null;
  /** The name of the overlay where there is one: see WorkspaceRecord. */ readonly overlay?: string;
};

/** What the host mounts for a run before its sandboxes start. */
export function hostMounts(
  profile: SandboxProfile,
  context: {
    user: SandboxUser;
    paths: ReturnType<typeof WorkspacePaths>;
    /** What a run changes apart. */ trees: readonly Tree[];
    /** The one between whose layers that of what is shown lies. */ laidOver: Tree | null;
    mount: WorkspaceMount;
    before: WorkspaceRecord | null;
    isStaged: boolean;
    takeImage: (path: string) => boolean;
  },
): HostPlan {
  const { user, paths, trees, laidOver, mount, before, isStaged } = context;
  const records: HoldRecord[] = [];
  const overlay = newId("overlay");
  const isRoot = process.getuid?.() === 0;
  const isRootsOwn = statSync(profile.roots[0]?.path ?? "/").uid === 0;
  let image: string | null = null;
  const sources = profile.roots.map((root, index) => {
    const tree = trees.find((each) => each.root === root.path) ?? null;
    const owner = statSync(root.path);
    // What belongs to root is shown as the sandbox's, or a user that is never root could not work there. A root that is only read
    // stays as it is, unless the whole workspace is root's.
    const isMapped = isRoot && owner.uid !== user.uid && (root.access === "read-write" || (isRootsOwn && owner.uid === 0));
    const mapped = tree === null ? `${paths.roots}/${String(index)}` : tree.lower;
    if (isMapped) {
      if (mapped !== paths.lower) records.push(["dir", mapped, "0700", "0", "0"]);
      const access = tree !== null || root.access === "read" ? "ro" : "rw";
      records.push(["idmap", root.path, mapped, access, String(owner.uid), String(user.uid), String(owner.gid), String(user.gid)]);
    }
    const isMoved = isStaged && !isMapped && tree === null;
    if (isMoved) records.push(["dir", mapped, "0700", "0", "0"], ["bind", root.path, mapped, root.access === "read" ? "ro" : "rw"]);
    const source = isMapped || isMoved ? mapped : root.path;
    if (tree === null || mounterOf(mount) !== undefined) return source;
    if (tree.repository === null) {
      image = before !== null ? before.image : context.takeImage(paths.image) ? paths.image : makeImage(paths.image);
      if (image !== null) records.push(["image", image, paths.layers]);
    } else for (const path of [paths.repository, tree.upper, tree.merged]) records.push(["dir", path, "0700", "0", "0"]);
    // The upper directory's own mode and owner are what the container sees of the root itself.
    records.push(["dir", tree.rootUpper, (owner.mode & 0o777).toString(8).padStart(4, "0"), String(user.uid), String(user.gid)]);
    records.push(["dir", tree.work, "0700", "0", "0"]);
    records.push(["overlay", tree.merged, source, tree.rootUpper, tree.work, nameOf(overlay, tree), ...(laidOver === tree ? [paths.shownLayer] : [])]);
    return tree.merged;
  });
  return { records, sources, image, overlay };
}

/** Each overlay has a name of its own, by which what is left of it is found. */
export function nameOf(overlay: string, { repository }: Pick<Tree, "repository">): string {
  return repository === null ? overlay : `${overlay}-repository`;
}
