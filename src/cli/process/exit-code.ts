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
