/**
 * The codes that an {@link AgentError} may carry. They appear in messages, in the audit log and in
 * the documentation, so a code is never renamed.
 */
export const ERROR_CODES = [
  "usage",
  "bad-policy",
  "bad-configuration",
  "sandbox-unavailable",
  "audit-unavailable",
  "store-unavailable",
  "provider-failed",
  "script-mismatch",
  "broken-invariant",
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** Beside what is wrong: what it comes from, and what the person can do or type. */
export type AgentErrorOptions = { readonly cause?: unknown; readonly remedy?: string };

/**
 * Thrown for bad configuration, a broken invariant or a faulty adapter, and for nothing else: a
 * refusal is a Decision and an expected ending is an Outcome, both plain values.
 */
export class AgentError extends Error {
  readonly code: ErrorCode;
  /** What is wrong, in a sentence. */
  readonly problem: string;
  /** What to do or type, where that is known. The message is both. */
  readonly remedy: string | null;

  constructor(code: ErrorCode, problem: string, { cause, remedy }: AgentErrorOptions = {}) {
    super(remedy === undefined ? problem : `${problem} ${remedy}`, cause === undefined ? undefined : { cause });
    this.name = "AgentError";
    this.code = code;
    this.problem = problem;
    this.remedy = remedy ?? null;
  }
}
