import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { writeWhole } from "../workspace/files/whole-file.ts";
import { removeTree } from "../workspace/mounts/directories.ts";
import { workspacePaths } from "../workspace/record.ts";
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

function idIn(rewound: string): string {
  return join(rewound, "rewind.id");
}
