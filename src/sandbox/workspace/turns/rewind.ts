import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { basename, join } from "node:path";
import { AgentError } from "../../../base/errors.ts";
import { writeWhole } from "../files/whole-file.ts";
import { removeTree } from "../mounts/directories.ts";
import { workspacePaths } from "../record.ts";
import { layState } from "./lay.ts";
import type { KeptState } from "./state.ts";

// What a run's workspace was is laid out beside what it is. The database says whether the run went back: then one takes the other's place, and whoever works
// with the run next ends that. Each step may be done again.

/** `from`: the directory of the run that was in this state. */
type Rewind = { readonly id: string; readonly runId: string; readonly from: string; readonly state: KeptState };

/** Lays out a state of a run beside what is there, under the id of a rewind. The run is at rest. */
export async function prepareRewind(runDirectory: string, { id, runId, from, state }: Rewind): Promise<void> {
  const { rewound } = workspacePaths(runDirectory);
  try {
    await layState(state, { runId, from, stage: rewound, runDirectory });
    writeWhole(idIn(rewound), id);
  } catch (error) {
    removeTree(rewound);
    throw error;
  }
}

/** Whether a rewind of the run was begun and did not end. */
export function hasOpenRewind(runDirectory: string): boolean {
  const { rewound, replaced } = workspacePaths(runDirectory);
  return existsSync(rewound) || existsSync(replaced);
}

/** Ends a rewind that was begun: `isDone` says whether the run of this id went back. The run is at rest. */
export function settleRewind(runDirectory: string, isDone: (id: string) => boolean): void {
  const { rewound, replaced, base } = workspacePaths(runDirectory);
  const file = idIn(rewound);
  if (existsSync(file) && isDone(readFileSync(file, "utf8"))) {
    const laid = workspacePaths(rewound).base;
    // Once it has moved, what lies there is what was laid out.
    if (existsSync(laid)) {
      mkdirSync(replaced, { recursive: true, mode: 0o700 });
      if (existsSync(base)) renameSync(base, join(replaced, "workspace"));
      renameSync(laid, base);
    }
  }
  removeTree(rewound);
  removeTree(replaced);
}

/** Removes all of a run that never was. */
export function removeUnborn(runDirectory: string): void {
  removeTree(runDirectory);
}

/** Throws `sandbox-unavailable` where what lies there is half of a rewind: nothing is made of it. */
export function refuseOpenRewind(runDirectory: string): void {
  if (!hasOpenRewind(runDirectory)) return;
  const runId = basename(runDirectory);
  throw new AgentError("sandbox-unavailable", `A rewind of ${runId} was interrupted.`, { remedy: `This ends it: warder runs show ${runId}` });
}

function idIn(rewound: string): string {
  return join(rewound, "rewind.id");
}
