import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const PROGRAM = pathToFileURL(join(import.meta.dirname, "programs", "moved-clock.ts")).href;

/** A clock for processes of their own, as far ahead of this machine's as was said; one that goes back, too. */
export type MovedClock = {
  /** For the environment of each process whose clock it is. */
  readonly environment: Readonly<Record<string, string>>;
  nowMs(): number;
  moveTo(ms: number): void;
};

export function movedClock(directory: string): MovedClock {
  const file = join(directory, "clock-offset");
  let offsetMs = 0;
  writeFileSync(file, "0");
  return {
    environment: { NODE_OPTIONS: `--import=${PROGRAM}`, MOVED_CLOCK: file },
    nowMs: () => Date.now() + offsetMs,
    moveTo: (ms) => {
      offsetMs = ms - Date.now();
      writeFileSync(file, String(offsetMs));
    },
  };
}
