import { availableParallelism, loadavg } from "node:os";
import { AgentError } from "../../../base/errors.ts";

/** Twice what the slowest call of an engine took on a machine that keeps up with its work. */
const CALL_LIMIT_MS = 20_000;
/** However overloaded the machine is. */
const MAX_CALL_LIMIT_MS = 180_000;
/** What one that hung is given for cleaning up after it: a call that would answer does so at once. */
const PART_AFTER_SILENCE = 0.1;

/** The time that an engine has for each call. */
export type CallLimit = {
  /**
   * Does `call` (named as in "POST /containers/create"), and gives it up when it takes too long: its signal is aborted. Throws
   * `sandbox-unavailable` then, and what `call` throws.
   */
  bound<T>(name: string, call: (signal: AbortSignal) => Promise<T>): Promise<T>;
};

/**
 * `limitMs` on a machine that keeps up; where more processes want to run than it has processors, each gets only its share of them, and
 * the engine too. After a call that was given up the next ones get little, so that cleaning up does not cost the limit of every call
 * again; until one answers.
 */
export function callLimit(address: string, limitMs: number = CALL_LIMIT_MS): CallLimit {
  let isSilent = false;
  return {
    bound: async (name, call) => {
      const fullMs = Math.min(Math.max(limitMs, MAX_CALL_LIMIT_MS), limitMs * Math.max(1, (loadavg()[0] ?? 0) / availableParallelism()));
      const ms = Math.round(isSilent ? fullMs * PART_AFTER_SILENCE : fullMs);
      const stop = new AbortController();
      const { promise: silence, reject } = Promise.withResolvers<never>();
      const timer = setTimeout(() => {
        isSilent = true;
        reject(
          new AgentError(
            "sandbox-unavailable",
            `The engine at ${address} accepted \`${name}\` and did not answer for ${String(ms / 1000)} s. Look at its log (\`journalctl -u docker\`) and restart it.`,
          ),
        );
        stop.abort();
      }, ms);
      try {
        const value = await Promise.race([call(stop.signal), silence]);
        isSilent = false;
        return value;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
