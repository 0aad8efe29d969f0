import type { Risk, Verdict } from "../../policy/decision.ts";
import type { Label } from "../../policy/label.ts";
import type { ChangesPayload } from "./changes-payload.ts";
import type { HookPayload } from "./hook-payload.ts";
import type { TrustedPayload } from "./trusted-payload.ts";
import type { RunPayload } from "./run-payload.ts";

/** A rule that spoke, as it is recorded. `at` is `file:line`. */
export type RecordedRule = { readonly id: string; readonly verdict: Verdict; readonly reason: string; readonly at?: string };

export type RecordedUnit = { readonly kind: string; readonly subject: string; readonly risk: Risk; readonly verdict: Verdict; readonly rule: string };

/**
 * What the log records, by `kind`. Kinds and field names are stable: they are searched for years later.
 * Values that come from a model or a file pass {@link storedValue} before they are stored.
 */
export type AuditPayload =
  | { readonly kind: "policy-loaded"; readonly name: string; readonly policy: string; readonly files: readonly string[] }
  | {
      readonly kind: "run-start";
      readonly workspace: string;
      readonly policy: string;
      readonly autonomy: string;
      readonly task: string | null;
      readonly model: string | null;
      readonly isScripted: boolean;
      /** Of a sub-agent: the run and the call that started it, the tools that it was left with, and whether it may change anything. */
      readonly parent?: string;
      readonly parentCall?: string;
      readonly tools?: readonly string[] | null;
      readonly isReadOnly?: boolean;
    }
  | RunPayload
  /** Another model answers from now on, because the one before it could not. */
  | { readonly kind: "model-switched"; readonly from: string; readonly to: string; readonly reason: string }
  | { readonly kind: "run-end"; readonly ending: string; readonly detail?: string }
  | {
      readonly kind: "sandbox-opened";
      readonly session: string;
      readonly runtime: string;
      readonly image: string;
      readonly profile: string;
      /** How the workspace is mounted; absent in an older Warder's record. */
      readonly mount?: string;
      /** What was looked at from inside and holds, and what cannot be seen from there; absent in an older Warder's record. */
      readonly probed?: readonly string[];
      readonly unseen?: readonly string[];
    }
  | { readonly kind: "sandbox-closed"; readonly session: string }
  /** A call as it arrived, before anything was made of it. */
  | { readonly kind: "call"; readonly call: string; readonly tool: string; readonly input: unknown }
  /** What was spent of the limits that count it; `call` null: by the run itself, for answers of its model and for its time. */
  | {
      readonly kind: "budget-moved";
      readonly call: string | null;
      readonly amounts: Readonly<Record<string, number>>;
      readonly limits: readonly string[];
    }
  | {
      readonly kind: "ruling";
      readonly call: string;
      readonly tool: string;
      readonly input: unknown;
      readonly ruling: string;
      readonly policy: string;
      readonly verdict: Verdict;
      readonly risk: Risk;
      readonly reason: string;
      readonly rules: readonly RecordedRule[];
      readonly units: readonly RecordedUnit[];
      /** How many units were decided and are not named; absent: none. */
      readonly moreUnits?: number;
      /** Of an ask: what the policy would have to say for it not to be asked; null when no line of it could. */
      readonly settledBy?: string | null;
      /** What is untrusted and what is sensitive of what the model had been given, the first of each. */ readonly seen?: readonly Label[];
      readonly measured: "session" | "host";
      readonly image: string | null;
      readonly profile: string | null;
    }
  /** A run that planned may change things from now on: a person said yes to the plan of this SHA-256. */
  | { readonly kind: "plan-approved"; readonly call: string; readonly ruling: string; readonly plan: string }
  /** What a run told its person, whole, made visible. */
  | { readonly kind: "user-message"; readonly call: string; readonly ruling: string; readonly text: string }
  /** What a person answered to a question of the run, whole. */
  | {
      readonly kind: "question-answered";
      readonly call: string;
      readonly ruling: string;
      readonly approval: string;
      readonly by: string | null;
      readonly text: string;
    }
  /** `text`: the SHA-256 of what an agent keeps for later runs. */
  | {
      readonly kind: "memory-stored";
      readonly call: string;
      readonly ruling: string;
      readonly memory: string;
      readonly scope: string;
      readonly category: string;
      readonly text: string;
      readonly bytes: number;
    }
  /** By a run, or a person (`call` null). */
  | { readonly kind: "memory-forgotten"; readonly call: string | null; readonly memory: string; readonly text: string; readonly by: string }
  | HookPayload
  /** A call that never became a decision: an unknown tool, or arguments that do not decode. */
  | { readonly kind: "call-rejected"; readonly call: string; readonly tool: string; readonly input: unknown; readonly problem: string }
  | {
      readonly kind: "approval-requested";
      readonly call: string;
      readonly ruling: string;
      readonly approval: string;
      readonly rule: string;
      readonly expiresAt: string;
    }
  | {
      readonly kind: "approval-answered";
      readonly call: string;
      readonly ruling: string;
      readonly approval: string | null;
      readonly answer: "granted" | "refused" | "nobody";
      readonly by: string | null;
      readonly scope: "once" | "this-run" | "pattern" | null;
      readonly reason: string;
    }
  /** The answer as a person gave it from another process; `approval-answered` is when the run took it up. */
  | {
      readonly kind: "approval-given";
      readonly call: string;
      readonly ruling: string;
      readonly approval: string;
      readonly answer: "granted" | "refused";
      readonly by: string;
      readonly scope: "once" | "this-run" | "pattern" | null;
      readonly reason: string;
    }
  /** A question or a yes that was bound to what is no longer so. `bound` is the ruling that it was for, `ruling` the one that stands now. */
  | {
      readonly kind: "approval-void";
      readonly call: string;
      readonly approval: string;
      readonly was: string;
      readonly bound: string;
      readonly ruling: string;
    }
  /**
   * A question that went to a webhook, or did not: when the delivery ended, or this process left it to the next (`put-off`). `to` is scheme, host and port;
   * `invites`: a token to answer with went along.
   */
  | {
      readonly kind: "approval-sent";
      readonly approval: string;
      readonly webhook: string;
      readonly message: string;
      readonly to: string;
      readonly state: "delivered" | "failed" | "abandoned" | "put-off";
      readonly attempts: number;
      readonly detail: string;
      readonly invites: boolean;
    }
  /** An answer from another process that was not accepted: too late, without its one-time code, or with a wrong token. */
  | {
      readonly kind: "approval-not-taken";
      readonly call: string;
      readonly ruling: string;
      readonly approval: string;
      readonly by: string | null;
      readonly way: string;
      readonly reason: string;
    }
  /** A lasting answer. `until`: a moment, the run that it holds for, or null: until it is revoked. */
  | {
      readonly kind: "grant-added";
      readonly grant: string;
      readonly approval: string;
      readonly pattern: string;
      readonly place: string;
      readonly effects: readonly string[];
      readonly until: string | null;
      readonly by: string;
    }
  | { readonly kind: "grant-revoked"; readonly grant: string; readonly by: string }
  /** A person whose one-time codes count from now on, and one whose codes count no more. */
  | { readonly kind: "approver-enrolled"; readonly person: string; readonly by: string }
  | { readonly kind: "approver-removed"; readonly person: string; readonly by: string }
  | { readonly kind: "permit-spent"; readonly call: string; readonly ruling: string; readonly action: string; readonly does: string; readonly target: unknown }
  | {
      readonly kind: "outcome";
      readonly call: string;
      readonly ruling: string;
      /** `completed`, `denied`, `timed-out`, `output-limit`, `cancelled`, `failed`, or `fault` when Warder itself failed. */
      readonly outcome: string;
      readonly exitCode: number | null;
      readonly durationMs: number;
      readonly result: unknown;
      readonly labels?: readonly Label[];
    }
  /** A connection that a sandbox asked the egress proxy for, when it has ended: allowed or not, and what went through in bytes. */
  | {
      readonly kind: "connection";
      readonly via: string;
      readonly host: string;
      readonly port: number | null;
      readonly address: string | null;
      /** Of a request that the proxy read: its path without the query, and the ids of the credentials that it carried. */
      readonly request: { readonly method: string; readonly path: string; readonly credentials: readonly string[] } | null;
      readonly decision: Verdict;
      readonly reason: string;
      readonly bytesUp: number;
      readonly bytesDown: number;
      readonly durationMs: number;
    }
  /** A credential that the egress proxy was about to add to a request: written before the request went out. */
  | {
      readonly kind: "credential-used";
      readonly credential: string;
      readonly host: string;
      readonly port: number;
      readonly method: string;
      readonly path: string;
      readonly decision: Verdict;
      /** `credential`, or why not: `budget-actions`, `stop-switch`. */
      readonly reason: string;
    }
  /** A command that ran in the background (`start_job`), when it has ended. `written`: characters. */
  | {
      readonly kind: "background-job-ended";
      readonly job: string;
      readonly outcome: string;
      readonly exitCode: number | null;
      readonly written: number;
      readonly durationMs: number;
    }
  | ChangesPayload
  | TrustedPayload
  /** A person prepared an image for sandboxes, or removed one. `image` and `base` are content digests; `made` says how. */
  | { readonly kind: "image-added"; readonly name: string; readonly image: string; readonly base: string; readonly made: unknown; readonly by: string }
  | { readonly kind: "image-removed"; readonly name: string; readonly image: string; readonly by: string }
  /** A job that runs by the clock was added, proposed by a run, removed, held or confirmed: by whom, and with which policy. */
  | {
      readonly kind: "schedule-job";
      readonly job: string;
      readonly change: "added" | "proposed" | "changed" | "removed" | "held" | "confirmed";
      readonly by: string;
      readonly policy: string | null;
      readonly detail: string;
    }
  /** News of a job that went to where the job tells them (`to`), or did not, after so many tries. */
  | {
      readonly kind: "schedule-told";
      readonly job: string;
      readonly message: string;
      readonly to: string;
      readonly state: "delivered" | "failed" | "abandoned";
      readonly attempts: number;
      readonly detail: string;
    }
  /** A moment of a job: `started` and `resumed` before its run, the others when that ended. `outcome` is the run's end. */
  | {
      readonly kind: "schedule-tick";
      readonly job: string;
      readonly moment: string;
      readonly attempt: number;
      readonly state: "started" | "resumed" | "retry" | "parked" | "ended";
      readonly outcome: string | null;
    }
  /** The end of the log was signed: up to and with record `upTo`. `anchor`: where it was kept outside, or was not, and then why. */
  | {
      readonly kind: "checkpoint";
      readonly upTo: number;
      readonly hash: string;
      readonly signature: string;
      readonly anchor: string | null;
      readonly state: "kept" | "failed";
      readonly detail: string | null;
    }
  /** Old records were to go into an archive, and did not. */
  | { readonly kind: "archive-failed"; readonly detail: string }
  /** The beginning of the log went into a file: which records, the hash of the last of them, and the file's SHA-256. */
  | { readonly kind: "log-archived"; readonly first: number; readonly last: number; readonly lastHash: string; readonly file: string; readonly sha256: string }
  | {
      readonly kind: "stop";
      readonly state: "stopped" | "running";
      /** Absent in older records: everything. */ readonly scopes?: readonly string[];
      readonly by: string;
    };

export type AuditKind = AuditPayload["kind"];

/** One record as it was stored. `at` is ISO 8601 in UTC; `previous` is the hash of the record before. */
export type AuditRecord = {
  readonly seq: number;
  readonly at: string;
  readonly run: string | null;
  readonly kind: AuditKind;
  readonly hash: string;
  readonly previous: string;
  readonly payload: Readonly<Record<string, unknown>>;
};
