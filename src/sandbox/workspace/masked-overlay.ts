import { chmodSync, mkdirSync, statSync } from "node:fs";
import type { OverlayMount, SandboxUser } from "../mounts.ts";
import { makeMaskLayer } from "./changes/mask-layer.ts";
import type { Scan } from "./scan/scan.ts";
import type { Tree } from "./trees.ts";

/** Makes the directories of an overlay over a root that has nothing of what is forbidden, for whoever mounts it: the run's own stay as they are. */
export async function planMaskedOverlay(tree: Tree, { name, scan }: { readonly name: string; readonly scan: Scan }): Promise<OverlayMount> {
  const { root, rootUpper: upper, work, rootMask } = tree;
  for (const path of [upper, work]) mkdirSync(path, { recursive: true, mode: 0o700 });
  // Its own mode is what the container sees of the root itself.
  chmodSync(upper, statSync(root).mode & 0o777);
  const isMasked = await makeMaskLayer(tree.mask, tree.base, scan);
  return { kind: "overlay", name, target: root, lowers: isMasked ? [rootMask, root] : [root], upper, work };
}

/**
 * For root, whose view is masked by mounts: a layer of nothing but what is shown under the name of a key, so that a run may replace it. The sandbox's user owns
 * it, as everything else of the workspace's owner. Returns whether there is one.
 */
export async function layShown(layer: string, { root, base }: Tree, { scan, user }: { readonly scan: Scan; readonly user: SandboxUser }): Promise<boolean> {
  const owner = statSync(root);
  const ownerOf = ({ uid, gid }: SandboxUser): SandboxUser =>
    owner.uid === user.uid ? { uid, gid } : { uid: uid === owner.uid ? user.uid : uid, gid: gid === owner.gid ? user.gid : gid };
  return await makeMaskLayer(layer, base, { masked: [], shown: scan.shown, ownerOf });
}
