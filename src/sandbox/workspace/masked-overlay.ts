import { chmodSync, mkdirSync, statSync } from "node:fs";
import { AgentError } from "../../base/errors.ts";
import type { OverlayMount } from "../mounts.ts";
import { makeMaskLayer } from "./changes/mask-layer.ts";
import type { workspacePaths } from "./record.ts";
import type { Scan } from "./scan/scan.ts";

/** Makes the directories of an overlay over a workspace that has nothing of what is forbidden, for whoever mounts it: the run's own stay as they are. */
export async function planMaskedOverlay(
  workspace: string,
  plan: { readonly name: string; readonly paths: ReturnType<typeof workspacePaths>; readonly scan: Scan | undefined },
): Promise<OverlayMount> {
  const { upper, work, mask } = plan.paths;
  if (plan.scan === undefined) throw new AgentError("broken-invariant", "A workspace was not looked through.");
  for (const path of [upper, work]) mkdirSync(path, { recursive: true, mode: 0o700 });
  // Its own mode is what the container sees of the workspace itself.
  chmodSync(upper, statSync(workspace).mode & 0o777);
  const isMasked = await makeMaskLayer(mask, workspace, plan.scan.masked);
  return { kind: "overlay", name: plan.name, target: workspace, lowers: isMasked ? [mask, workspace] : [workspace], upper, work };
}
