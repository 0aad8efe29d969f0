import { runClaim, takeDue, type SchedulerParts } from "../../src/schedule/runner.ts";

/** Takes and runs what is due of one job, one moment after the other, until nothing is. Gives how many runs ended. */
export async function runDueOf(parts: SchedulerParts, name: string, signal: AbortSignal): Promise<number> {
  let ended = 0;
  for (let claim = takeDue(parts, name); claim !== null; claim = signal.aborted ? null : takeDue(parts, name)) {
    await runClaim(parts, claim, signal, true);
    if (claim.kind !== "ended") ended += 1;
  }
  return ended;
}
