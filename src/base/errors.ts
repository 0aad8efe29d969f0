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

/**
 * Thrown for bad configuration, a broken invariant or a faulty adapter, and for nothing else: a
 * refusal is a Decision and an expected ending is an Outcome, both plain values.
 */
export class AgentError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = "AgentError";
    this.code = code;
  }
}
