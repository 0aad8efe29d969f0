import type { Outcome } from "../../sandbox/outcome.ts";
import type { ToolResult } from "./tool.ts";

/** Text that came out of the sandbox, or quotes it: data, never instructions. */
export function untrustedText(text: string, details?: Readonly<Record<string, unknown>>): ToolResult {
  return result(text, { isError: false, label: "untrusted" }, details);
}

/** A failure that quotes the file system or a program. */
export function untrustedError(text: string, details?: Readonly<Record<string, unknown>>): ToolResult {
  return result(text, { isError: true, label: "untrusted" }, details);
}

/** A failure in our own words, with nothing quoted. */
export function trustedError(text: string, details?: Readonly<Record<string, unknown>>): ToolResult {
  return result(text, { isError: true, label: "trusted" }, details);
}

function result(text: string, kind: Pick<ToolResult, "isError" | "label">, details?: Readonly<Record<string, unknown>>): ToolResult {
  return { content: [{ kind: "text", text }], ...kind, ...(details ? { details } : {}) };
}

const FAILURE_TEXT: Readonly<Record<string, string>> = {
  "not-found": "There is no such file or directory",
  "is-directory": "It is a directory, not a file",
  "not-a-file": "It is not a regular file",
  permission: "Permission was denied inside the sandbox",
  "outside-roots": "It is outside the directories that this run may use",
  conflict: "The file changed since it was read; read it again",
  "too-large": "It is too large",
  "no-space": "There is no space left in the sandbox",
  unsupported: "The runtime of this sandbox keeps no jobs; use shell",
  "too-many-jobs": "Two jobs run already: wait for one, or stop one",
  "no-room-for-job": "What runs already uses too much of the sandbox's memory to share it; stop a job, or use shell",
  "no-such-job": "There is no such job; jobs end with the sandbox that they were started in",
  "session-lost": "The sandbox session was lost",
  quarantined: "It left what the policy forbids or protects; that was taken away, and the sandbox was closed",
  io: "The sandbox could not read or write it",
};

/** Fixed wording for each way an action ends other than `completed`; `subject` names what it was about. */
export function describeEnding(outcome: Exclude<Outcome, { kind: "completed" }>, subject: string): string {
  switch (outcome.kind) {
    case "timed-out":
      return `Timed out and was stopped: ${subject}.`;
    case "output-limit":
      return `Stopped because it wrote more than the output limit: ${subject}.`;
    case "cancelled":
      return `Cancelled: ${subject}.`;
    case "denied":
      return `Denied: ${subject}: ${outcome.reason}`;
    case "failed":
      return `Failed: ${subject}. ${FAILURE_TEXT[outcome.code] ?? "The sandbox reported an unknown failure"}.`;
  }
}

/** The error result of an action that did not complete. */
export function endingError(outcome: Exclude<Outcome, { kind: "completed" }>, subject: string): ToolResult {
  const details = outcome.kind === "failed" ? { outcome: outcome.kind, code: outcome.code, reason: outcome.reason } : { outcome: outcome.kind };
  return untrustedError(describeEnding(outcome, subject), details);
}
