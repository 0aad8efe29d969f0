/** A process that waits for others. */
export type Wait = {
  /** For what, as a person reads it: `to write to /…/warder.db`. */
  readonly what: string;
  readonly waitedMs: number;
  /** How many others come first, as far as they wait too. */
  readonly before: number;
  /** The pid of the first of them; null when nobody is before this process. */
  readonly firstPid: string | null;
};

const TELL_EACH_MS = 1_000;

type Listener = (wait: Wait) => void;

const listeners = new Set<Listener>();

/**
 * Calls `listener` about once a second while this process waits for others. It must not throw, wait, or use a store. Nothing else in this process runs
 * meanwhile, so what cannot wait (a heartbeat) is done here. Returns a function that ends it.
 */
export function onWait(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Tells of a wait that began at `sinceMs` of the monotonic clock; only for who waits. */
export function tellerOf(what: string, sinceMs: number): (line: Pick<Wait, "before" | "firstPid">, nowMs: number) => void {
  let toldMs = sinceMs;
  return (line, nowMs) => {
    if (nowMs < toldMs + TELL_EACH_MS) return;
    toldMs = nowMs;
    for (const listener of listeners) listener({ what, waitedMs: nowMs - sinceMs, ...line });
  };
}
