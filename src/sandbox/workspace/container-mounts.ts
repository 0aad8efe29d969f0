import { AgentError } from "../../base/errors.ts";
import { HOOKS_TARGET } from "../hardening.ts";
import { type Carried, inMountOrder, type PlannedMount } from "../mounts.ts";
import type { SandboxProfile } from "../runtime.ts";
import { mountsOfRoot } from "./mounts/masks.ts";
import type { PublicCopies } from "./mounts/public-copies.ts";
import type { workspacePaths } from "./record.ts";
import { homeInside, isWithin } from "./scan/roots.ts";
import type { Scan } from "./scan/scan.ts";

const MAX_SCRATCH_BYTES = 1024 ** 3;

/** What a container mounts, once the host has mounted what it must. */
export function containerMounts(
  profile: SandboxProfile,
  plan: {
    scans: readonly Scan[];
    sources: readonly string[];
    paths: ReturnType<typeof workspacePaths>;
    /** What roots are of which nothing is masked by mounts. */ views: readonly PlannedMount[];
    carried: Carried | null;
    /** On this machine; null: there are none. */ hooks: string | null;
    copies: PublicCopies;
  },
): readonly PlannedMount[] {
  const maxBytes = Math.min(MAX_SCRATCH_BYTES, Math.floor(profile.settings.memoryBytes / 2));
  const scratch = new Set(["/tmp"]);
  const home = homeInside(profile.home);
  if (!profile.roots.some((root) => isWithin(home, root.path))) scratch.add(home);
  const mounts: PlannedMount[] = [];
  if (profile.settings.workspace === "none") scratch.add(profile.roots[0]?.path ?? "/tmp");
  for (const target of scratch) mounts.push({ kind: "scratch", target, maxBytes });
  if (plan.carried !== null) return inMountOrder([...mounts, ...plan.carried.mounts]);
  if (plan.hooks !== null) mounts.push({ kind: "bind", source: plan.hooks, target: HOOKS_TARGET, isReadOnly: true });
  for (const [index, scan] of plan.scans.entries()) {
    const root = profile.roots[index];
    const source = plan.sources[index];
    if (root === undefined || source === undefined) throw new AgentError("broken-invariant", "A root was looked through but not mounted.");
    // What is forbidden is not in it, and what is protected is contained there like everything else.
    const view = plan.views.find(({ target }) => target === root.path);
    if (view !== undefined) {
      mounts.push(view);
      continue;
    }
    mounts.push(
      ...mountsOfRoot(
        { path: root.path, source, isReadOnly: root.access === "read", scan },
        { file: plan.paths.maskFile, directory: plan.paths.maskDirectory, copies: plan.copies },
      ),
    );
  }
  return inMountOrder(mounts);
}
