import { orCancelled } from "../providers/contract/cancellation.ts";

/** Waits for whoever watches, as long as the run is not stopped: a slow reader slows it down instead of filling memory. `watching`: what an emitted event gave. */
export async function caughtUp(watching: unknown, stop: AbortSignal): Promise<void> {
  if (!(watching instanceof Promise)) return;
  const read = watching.catch(() => undefined);
  await orCancelled(read, stop);
}
