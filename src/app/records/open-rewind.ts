import { join } from "node:path";
import { forgetTurnsAfter } from "../../sandbox/turns/kept.ts";
import { whileAtRest } from "../../sandbox/turns/at-rest.ts";
import { settleRewind } from "../../sandbox/turns/rewind.ts";
import { hasOpenRewind } from "../../sandbox/workspace/open-rewind.ts";
import { runtimeNamed } from "../setup/runtimes.ts";
import type { Records } from "./records.ts";

/** Ends sandboxes of dead owners, so that nothing writes to a run's layers. */
export async function endSandboxes({ store }: Pick<Records, "store">): Promise<void> {
  await (await runtimeNamed("docker")).reap(store.paths.directory);
}

/** Ends a rewind of a run that a process began and did not end: before anything is made of what lies there. Throws `usage` while somebody works with the run. */
export async function settleOpenRewind(records: Pick<Records, "store">, runId: string): Promise<void> {
  const { store } = records;
  const directory = join(store.paths.runs, runId);
  if (store.runs.byId(runId) === null || !hasOpenRewind(directory)) return;
  const end = (): Promise<void> => endSandboxes(records);
  await whileAtRest(directory, end, () => {
    settleRewind(directory, (id) => store.runs.byId(runId)?.rewind === id);
    forgetTurnsAfter(directory, store.steps.turns(runId));
    return Promise.resolve();
  });
}
