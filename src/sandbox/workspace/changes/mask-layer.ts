import { chmodSync, chownSync, mkdirSync, readdirSync, type Stats, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { AgentError } from "../../../base/errors.ts";
import { makeVisibleLine } from "../../../base/text.ts";
import { removeTree } from "../mounts/directories.ts";
import type { SandboxUser } from "../../mounts.ts";
import type { Scan } from "../scan/scan.ts";
import { openApplyProgram } from "./apply-program.ts";

/**
 * Makes a layer that lies between the workspace and what a run writes: a whiteout for each path that must not be seen, what was
 * measured of each file that is shown although its name is that of a key, and the directories above them.
 * Whatever is renamed, those paths are not in the view. What an earlier session had there goes. `ownerOf` is asked where the view shows another
 * owner than the workspace has. Returns whether there is such a layer.
 */
export async function makeMaskLayer(
  layer: string,
  workspace: string,
  { masked, shown, ownerOf }: Pick<Scan, "masked" | "shown"> & { readonly ownerOf?: (stats: Stats) => SandboxUser },
): Promise<boolean> {
  removeTree(layer);
  if (masked.length + shown.length === 0) return false;
  mkdirSync(layer, { mode: 0o700 });
  const within = ({ path }: { readonly path: string }): string => path.slice(workspace.length + 1);
  const paths = masked.map(within);
  const directories = directoriesAbove([...paths, ...shown.map(within)]);
  for (const path of directories) mkdirSync(join(layer, path), { mode: 0o700 });
  const program = openApplyProgram(layer, workspace, "restore");
  try {
    for (const path of paths) {
      const reason = await program.perform(["whiteout", path]);
      if (reason !== null) throw new AgentError("sandbox-unavailable", `${makeVisibleLine(path)} cannot be hidden from the run: ${reason}`);
    }
  } finally {
    await program.end();
  }
  const own = (path: string, stats: Stats | undefined): void => {
    if (ownerOf === undefined || stats === undefined) return;
    const { uid, gid } = ownerOf(stats);
    chownSync(join(layer, path), uid, gid);
  };
  for (const file of shown) {
    const copy = join(layer, within(file));
    writeFileSync(copy, file.content, { flag: "wx" });
    own(within(file), statSync(file.path, { throwIfNoEntry: false }));
    chmodSync(copy, file.mode & 0o777);
  }
  // A merged directory has the mode of its uppermost layer. The deepest first: a mode may keep us out.
  for (const path of directories.toReversed()) {
    const stats = statSync(join(workspace, path));
    own(path, stats);
    chmodSync(join(layer, path), stats.mode & 0o7777);
  }
  return true;
}

/** What such a layer hides, by paths of the workspace. */
export function hiddenIn(layer: string): readonly string[] {
  return readdirSync(layer, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isCharacterDevice())
    .map((entry) => join(entry.parentPath, entry.name).slice(layer.length + 1));
}

/** Each once, none before the one that it lies in. */
function directoriesAbove(paths: readonly string[]): readonly string[] {
  const above = new Set<string>();
  const add = (path: string): void => {
    if (path === "." || above.has(path)) return;
    add(dirname(path));
    above.add(path);
  };
  for (const path of paths) add(dirname(path));
  return [...above];
}
