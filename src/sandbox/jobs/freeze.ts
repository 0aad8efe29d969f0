import type { Lane } from "../lane.ts";

/** Freezes the lanes of background jobs while something is decided or done. */
export type Freezer = {
  /** Does `work` while every such lane is frozen. */
  whileFrozen<T>(work: () => Promise<T>): Promise<T>;
};

/**
 * Freezes `lanes()` while any work is under way, and thaws them when none is. A lane that cannot be frozen is given to `onUnstoppable`,
 * which ends it: nothing moves while a decision is carried out.
 */
export function createFreezer(lanes: () => readonly Lane[], onUnstoppable: (lane: Lane) => Promise<void>): Freezer {
  let holders = 0;
  let frozen: readonly Lane[] = [];
  let last: Promise<void> = Promise.resolve();
  const freeze = async (lane: Lane): Promise<Lane | null> => {
    try {
      await lane.hold?.freeze();
      return lane;
    } catch (error) {
      // The engine's reason would help nobody: either the lane has ended by itself, or it must.
      void error;
      await onUnstoppable(lane);
      return null;
    }
  };
  const thaw = async (lane: Lane): Promise<void> => {
    try {
      await lane.hold?.thaw();
    } catch (error) {
      void error;
      await onUnstoppable(lane);
    }
  };
  const settle = async (): Promise<void> => {
    if (holders > 0 && frozen.length === 0) frozen = (await Promise.all(lanes().map(freeze))).filter((lane) => lane !== null);
    else if (holders === 0 && frozen.length > 0) {
      const sleeping = frozen;
      frozen = [];
      await Promise.all(sleeping.map(thaw));
    }
  };
  const settled = (): Promise<void> => (last = last.then(settle));
  return {
    whileFrozen: async (work) => {
      holders += 1;
      await settled();
      try {
        return await work();
      } finally {
        holders -= 1;
        await settled();
      }
    },
  };
}
