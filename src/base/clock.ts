/** Where time comes from; a test passes a clock of its own. */
export type Clock = {
  /** Milliseconds since the epoch, for records and limits. */
  nowMs(): number;
  /** Milliseconds from an arbitrary start that never go back, for durations. */
  monotonicMs(): number;
};

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};
