import type { BrowserAnswer } from "./browser/order.ts";
import type { WebResult } from "./egress/client/web-request.ts";
import type { RefusedConnection } from "./egress/traffic/refused-connections.ts";

/** Bytes of one stream, bounded: what was cut is counted, never silently lost. */
export type BoundedOutput = {
  /** UTF-8 decoded (invalid bytes become U+FFFD), cut on character boundaries; head and tail when it was too long. */
  readonly text: string;
  readonly totalBytes: number;
  /** Bytes between head and tail that are not in `text`. */
  readonly cutBytes: number;
};

export type DirectoryEntry = { readonly name: string; readonly type: "file" | "directory" | "link" | "other"; readonly size: number };

/** A command that runs beside the others of its session. */
export type JobState = {
  readonly id: string;
  readonly argv: readonly string[];
  /** How it ended; null while it runs. */
  readonly ending: { readonly outcome: Outcome["kind"]; readonly exitCode: number | null; readonly signal: string | null } | null;
  /** Characters that it wrote so far, both streams together. */
  readonly written: number;
  readonly durationMs: number;
};

/** What came of an action that ran to its end. */
export type ActionResult =
  | {
      readonly kind: "exec";
      readonly exitCode: number | null;
      readonly signal: string | null;
      readonly stdout: BoundedOutput;
      readonly stderr: BoundedOutput;
      /** `none`: the sandbox has no network; else what the egress proxy refused meanwhile. Absent: nobody looked. */
      readonly network?: "none" | readonly RefusedConnection[];
      /** The workspace is a bound worktree: what all worktrees share of its repository is read-only, so git deletes no ref there. */
      readonly sharesRefs?: true;
    }
  | { readonly kind: "read-file"; readonly bytes: Uint8Array; /** Of the whole file. */ readonly size: number; readonly sha256: string }
  | { readonly kind: "write-file"; readonly sha256: string; readonly created: boolean }
  | { readonly kind: "job"; readonly job: JobState }
  | { readonly kind: "jobs"; readonly jobs: readonly JobState[] }
  /** Both streams in the order they came, from the character `from` (counted from 0) to before `next`; what is older is not kept. */
  | { readonly kind: "job-output"; readonly job: JobState; readonly text: string; readonly from: number; readonly next: number }
  /** `name` is relative to the searched directory, and empty for a searched file; `skipped` counts what is no text, too long, or not to be read. */
  | {
      readonly kind: "search";
      readonly lines: readonly { readonly name: string; readonly line: number; readonly text: string }[];
      readonly isTruncated: boolean;
      readonly skipped: number;
    }
  /** Null: the policy gives the session no network. */
  | { readonly kind: "request"; readonly result: WebResult | null }
  | { readonly kind: "browse"; readonly answer: BrowserAnswer }
  | { readonly kind: "list"; readonly entries: readonly DirectoryEntry[]; readonly isTruncated: boolean };

/** How an action ended. `completed` with a non-zero exit code is a result, not a failure. */
export type Outcome =
  | { readonly kind: "completed"; readonly result: ActionResult; readonly durationMs: number }
  | { readonly kind: "timed-out"; readonly partial: ActionResult | null; readonly durationMs: number }
  | { readonly kind: "output-limit"; readonly partial: ActionResult | null; readonly durationMs: number }
  | { readonly kind: "cancelled"; readonly partial: ActionResult | null; readonly durationMs: number }
  | { readonly kind: "denied"; readonly reason: string; readonly durationMs: number }
  /** `code` is a stable word: `not-found`, `is-directory`, `not-a-file`, `permission`, `outside-roots`, `conflict`, `too-large`, `no-space`, `session-lost`, `quarantined`, `unsupported`, `too-many-jobs`, `no-room-for-job`, `no-such-job`, `io`. */
  | { readonly kind: "failed"; readonly code: string; readonly reason: string; readonly durationMs: number };

type ExecResult = Extract<ActionResult, { kind: "exec" }>;

/** An outcome that says which limits of its repository the command may have met. */
export function withSharedRefs(outcome: Outcome): Outcome {
  return ofExec(outcome, (result) => ({ ...result, sharesRefs: true }));
}

/** An outcome that says what became of a command's connections; another action's is as it was. */
export function withNetwork(outcome: Outcome, network: NonNullable<ExecResult["network"]>): Outcome {
  return ofExec(outcome, (result) => ({ ...result, network }));
}

function ofExec(outcome: Outcome, change: (result: ExecResult) => ExecResult): Outcome {
  if (outcome.kind === "completed") return outcome.result.kind === "exec" ? { ...outcome, result: change(outcome.result) } : outcome;
  if (!("partial" in outcome) || outcome.partial?.kind !== "exec") return outcome;
  return { ...outcome, partial: change(outcome.partial) };
}
