import { AgentError } from "../../../base/errors.ts";
import type { Carrier } from "../../mounts.ts";
import { owedFrom, withoutDebt, type WorkspaceRecord, writeRecord } from "../record.ts";
import { uppersOf } from "../trees.ts";

/** What an earlier session left elsewhere comes back before this one goes on from it. */
export async function settleBefore(
  before: WorkspaceRecord,
  { carrier, runDirectory }: { readonly carrier?: Carrier; readonly runDirectory: string },
): Promise<void> {
  const left = owedFrom(before);
  if (left === null) return;
  if (carrier?.address !== left.address)
    throw new AgentError("sandbox-unavailable", `What ${before.runId} wrote is still on the engine at ${left.address}.`, {
      remedy: "Go on with the same DOCKER_HOST.",
    });
  await carrier.settle(left, { runId: before.runId, user: before.user, uppers: uppersOf(runDirectory, before) }, () =>
    writeRecord(runDirectory, withoutDebt(before)),
  );
}
