import { setTimeout as sleep } from "node:timers/promises";
import { AgentError } from "../../../base/errors.ts";
import type { WorkspaceRecord } from "../record.ts";
import { mountsBelow } from "./directories.ts";

/** A sandbox whose owner died ends within this, and its engine unmounts then. */
const END_LIMIT_MS = 20_000;
/** One that stands still does not end by itself. */
const PATIENCE_MS = 2000;
const PAUSE_MS = 50;

/**
 * Waits until no sandbox writes to a run's layers any more, where the engine mounted them: below its own directory, by the overlay's name. `end`
 * is called when that takes long. Throws `sandbox-unavailable` when one stays.
 */
export async function waitForEngine(
  { runId, mounter, overlay }: Pick<WorkspaceRecord, "runId" | "mounter" | "overlay">,
  end: () => Promise<unknown> = () => Promise.resolve(),
): Promise<void> {
  if (mounter !== "engine" || overlay === undefined) return;
  for (const deadline = performance.now() + PATIENCE_MS; isMounted(overlay) && performance.now() < deadline;) await sleep(PAUSE_MS);
  if (!isMounted(overlay)) return;
  await end();
  for (const deadline = performance.now() + END_LIMIT_MS; isMounted(overlay); await sleep(PAUSE_MS))
    if (performance.now() > deadline)
      throw new AgentError("sandbox-unavailable", `A sandbox of ${runId}, whose owner is gone, is still there, and may write.`, {
        remedy: "Remove it with: warder doctor",
      });
}

function isMounted(overlay: string): boolean {
  return mountsBelow("/").some((point) => point.split("/").some((name) => name === overlay || name === `${overlay}-repository`));
}
