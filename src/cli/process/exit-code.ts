import type { RunEnding } from "../../agent/run-end.ts";
import { AgentError, type ErrorCode } from "../../base/errors.ts";

/** The exit codes of every command; scripts rely on them. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  denied: 3,
  parked: 4,
  budgetSpent: 5,
  sandboxUnavailable: 6,
  onlyTightens: 10,
  widens: 11,
  mayWiden: 12,
  badConfiguration: 78,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const CODE_OF_ERROR: Readonly<Record<ErrorCode, ExitCode>> = {
  usage: EXIT.usage,
  "bad-policy": EXIT.badConfiguration,
  "bad-configuration": EXIT.badConfiguration,
  "sandbox-unavailable": EXIT.sandboxUnavailable,
  "audit-unavailable": EXIT.failed,
  "store-unavailable": EXIT.failed,
  "provider-failed": EXIT.failed,
  "script-mismatch": EXIT.failed,
  "broken-invariant": EXIT.failed,
};

/** The exit code for whatever a command threw; what is no AgentError is a fault of Warder's own and fails. */
export function exitCodeOf(error: unknown): ExitCode {
  return error instanceof AgentError ? CODE_OF_ERROR[error.code] : EXIT.failed;
}

/** The exit code for how a run ended, whoever started it: a person, cron or the scheduler. */
export function exitCodeOfEnding(end: RunEnding): ExitCode {
  switch (end.kind) {
    case "done":
      return EXIT.done;
    case "denied":
      return EXIT.denied;
    case "parked":
      return EXIT.parked;
    case "budget":
      return EXIT.budgetSpent;
    case "limit":
      return end.limit === "repetition" ? EXIT.failed : EXIT.budgetSpent;
    case "cancelled":
      return EXIT.interrupted;
    case "failed":
      return CODE_OF_ERROR[end.code];
  }
}
