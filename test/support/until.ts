import { setTimeout as pause } from "node:timers/promises";

/** Waits for a fact for as long as the test may take, and says what it waited for when `patienceMs` are over. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>, patienceMs = 240_000): Promise<void> {
  const patience = AbortSignal.timeout(patienceMs);
  while (!(await isSo())) {
    if (patience.aborted) throw new Error(`this never came: ${what}`);
    await pause(20);
  }
}
