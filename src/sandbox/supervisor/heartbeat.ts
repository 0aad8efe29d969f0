import { onWait } from "../../store/lock/waiting.ts";

export type Silence = "frozen" | "held";

export type Heartbeat = {
  /** A pong came. */
  answered(): void;
  /** While the supervisor is frozen its pings wait for it, and while its output is held up nobody reads its answers: no answer is waited for. */
  expectSilence(reason: Silence, isExpected: boolean): void;
  stop(): void;
};

const LONGEST_PERIOD_MS = 10_000;

/**
 * Pings at least three times within `heartbeatMs`, so that the supervisor goes on living, and reports a loss
 * when six pings in a row stay unanswered. A period of 0 means that the supervisor expects none. While this process waits for its store no timer
 * fires, so it pings then, too.
 */
export function openHeartbeat(heartbeatMs: number, ping: () => void, onLost: (reason: string) => void): Heartbeat {
  if (heartbeatMs === 0) return { answered: () => undefined, expectSilence: () => undefined, stop: () => undefined };
  let unanswered = 0;
  const silences = new Set<Silence>();
  const timer = setInterval(
    () => {
      unanswered = silences.size > 0 ? 0 : unanswered + 1;
      if (unanswered > 6) onLost("The supervisor no longer answers.");
      else ping();
    },
    Math.max(1, Math.min(LONGEST_PERIOD_MS, Math.floor(heartbeatMs / 3))),
  );
  // The stream keeps the process alive as long as the session is meant to live; the timer alone must not.
  timer.unref();
  const endWaiting = onWait(ping);
  return {
    answered: () => {
      unanswered = 0;
    },
    expectSilence: (reason, isExpected) => {
      if (isExpected) silences.add(reason);
      else silences.delete(reason);
    },
    stop: () => {
      clearInterval(timer);
      endWaiting();
    },
  };
}
