import { readdirSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { isOwnerDead, ownerOfThisProcess } from "./process-owner.ts";
import { isSystemFault } from "../files/fault.ts";

/**
 * The processes that wait to write, in the order in which they came. A directory holds a symlink for each: its name is the arrival time (monotonic
 * clock), its target the owner. The queue decides nothing but the order. If it is damaged, or the disk is full, waiting becomes unfair; mutual exclusion
 * comes from the database lock.
 */
export type Queue = {
  isEmpty(): boolean;
  /** A place at the end; null where none can be made. */
  join(): Place | null;
};

export type Place = {
  /** The names of the places before this one, the first of all first. A name never comes again. */
  before(): readonly string[];
  /** Removes the first places, as far as their processes ended without leaving them. */
  skipDead(): void;
  leave(): void;
};

export function queueIn(directory: string): Queue {
  return {
    isEmpty: () => namesIn(directory).length === 0,
    join: () => {
      // As text they sort like the numbers: the clock has 19 digits at most.
      const name = `${String(process.hrtime.bigint()).padStart(19, "0")}-${String(process.pid)}`;
      const before = (): readonly string[] => namesIn(directory).filter((other) => other < name);
      return isDone(() => symlinkSync(ownerOfThisProcess(), join(directory, name)))
        ? {
            before,
            skipDead: () => void before().every((other) => isRemoved(join(directory, other))),
            leave: () => void isDone(() => rmSync(join(directory, name), { force: true })),
          }
        : null;
    },
  };
}

/** The pid in the name of a place, for a person. */
export function pidOfPlace(name: string): string {
  return name.slice(name.indexOf("-") + 1);
}

/** Whether the place was of a dead process, or is left already. */
function isRemoved(path: string): boolean {
  let isAlive = false;
  isDone(() => {
    isAlive = !isOwnerDead(readlinkSync(path));
    if (!isAlive) rmSync(path, { force: true });
  });
  return !isAlive;
}

/** As {@link queueIn} names a place. */
const PLACE = /^[0-9]{19}-[0-9]+$/u;

function namesIn(directory: string): readonly string[] {
  let names: readonly string[] = [];
  // What nobody of Warder put there (a file manager, a backup) waits for nothing, and never leaves.
  isDone(
    () =>
      (names = readdirSync(directory)
        .filter((name) => PLACE.test(name))
        .toSorted()),
  );
  return names;
}

/** Whether the system did it. */
function isDone(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (!isSystemFault(error)) throw error;
    return false;
  }
}
