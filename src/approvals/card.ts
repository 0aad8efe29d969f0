import type { JobOffer } from "./job-grant.ts";
import type { TypedCode } from "./one-time-code.ts";

/** A pattern that would answer questions like this one, made and checked by the host; a person takes it or leaves it. */
export type GrantPattern = {
  readonly kind: "command" | "path";
  /** Words of a command as in a rule of a policy, or an absolute path pattern. */
  readonly pattern: string;
  /** The kinds of effects that it answers for, and no others. */
  readonly effects: readonly string[];
  /** The only directory that a command may be run in; for a path the directory that it lies in. */
  readonly place: string;
};

/** A command, or a file, that a pattern covers, and one that it does not: both were judged as a call would be. */
export type GrantExamples = { readonly covers: string; readonly leaves: string };

/** What becomes of the one file that a call writes by itself, or of those that it takes of a sub-agent. */
export type FileChange = {
  /** The first of them. */
  readonly path: string;
  /** A hunk of a unified diff; where there are several files, one for each behind `=== PATH`. */
  readonly diff: string;
  /** None of them is there. */
  readonly isNew: boolean;
};

/** The tool of a question whether a run goes on under another policy than it had. */
export const RESUME_TOOL = "resume under another policy";

/** How this question differs from one that a person said yes to. */
export type CardDifference = {
  readonly approvalId: string;
  readonly by: string;
  readonly atMs: number;
  /** True: that yes was for this very call and is void now. False: it was for the last call of its kind. */
  readonly isVoided: boolean;
  /** `- as it was`, `+ as it is`. Empty: nothing that a card shows is another; only where nothing is voided. */
  readonly lines: readonly string[];
};

/** Everything a person needs to answer one ask. Nothing in it is shortened; hidden characters are made visible when it is shown. */
export type ApprovalCard = {
  readonly approvalId: string;
  readonly runId: string;
  /** It asks for words and allows nothing; absent: it asks for a yes. */
  readonly question?: { readonly text: string; readonly choices: readonly string[] };
  /** Whose sub-agent asks, and what its task is; absent: the run itself asks. */
  readonly asker?: { readonly parent: string; readonly task: string };
  readonly workspace: string;
  readonly tool: string;
  /** Canonical JSON of the final arguments. */
  readonly input: string;
  /** Each simple command as quoted argv; empty for a tool that runs no command. */
  readonly commands: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly hosts: readonly string[];
  /** `path sha256` of each file that it is known to execute or to take as configuration. */
  readonly inputs: readonly string[];
  readonly imageDigest: string;
  readonly policyDigest: string;
  readonly rulingDigest: string;
  readonly risk: "low" | "medium" | "high";
  /** The rules that asked: id, reason, file:line. */
  readonly asked: readonly { readonly id: string; readonly reason: string; readonly at: string }[];
  readonly effects: readonly string[];
  /** What the model was given that is untrusted or sensitive, a line each; absent: nothing. */
  readonly seen?: readonly string[];
  /** Null where no file is written by the call itself, or its text cannot be shown. */
  readonly change: FileChange | null;
  /** What it is compared by with what was asked before: the program with its subcommand, or the tool with its file. Empty: with nothing. */
  readonly sort: string;
  /** What holds it, whatever it does: `no network`. */
  readonly containment: readonly string[];
  /** Why a yes would come to nothing, as far as it can be told before. */
  readonly pointless: string | null;
  /** Whether a yes at a terminal wants a typed word: what it does leaves the sandbox, or cannot be undone. */
  readonly wantsWord: boolean;
  readonly expiresAtMs: number;
  readonly differs: CardDifference | null;
  /** What else is asked about in the same turn, each with a card of its own. */
  readonly together: readonly { readonly approvalId: string; readonly risk: "low" | "medium" | "high"; readonly what: string }[];
  /** How many different persons must say yes. */
  readonly needed: number;
  /** Whether a yes wants a one-time code; where several persons must say yes it always does, because a terminal knows accounts, not persons. */
  readonly needsCode: boolean;
  readonly grant: GrantPattern | null;
  /** Null exactly where there is no pattern. */
  readonly grantExamples: GrantExamples | null;
  /** What a yes for each run of the run's job would hold for; absent: the run is of no job, or such a yes is not to be had. */
  readonly job?: JobOffer;
  /** What a grant would hold under: policy and workspace. */
  readonly grantKey: string;
};

/** How long a pattern is granted: for the run, for so many days (1 to 365), or until it is revoked. `job`: no pattern, but exactly this call in each run of the card's job. */
export type GrantPeriod = { readonly kind: "run" | "forever" | "job" } | { readonly kind: "days"; readonly days: number };

export type ApprovalAnswer =
  | {
      readonly kind: "granted";
      readonly scope: "once" | "this-run";
      readonly by: string;
      /** Where the card wants one. */ readonly code?: TypedCode;
      /** The answer to a question. */ readonly words?: string;
    }
  /** This call, and what the card's pattern covers. */
  | { readonly kind: "granted"; readonly scope: "pattern"; readonly by: string; readonly period: GrantPeriod }
  | { readonly kind: "refused"; readonly scope: "once" | "this-run"; readonly by: string; readonly message?: string }
  /** No person answered: no terminal, closed input, time-out. Told apart from a person's no. */
  | { readonly kind: "nobody"; readonly reason: string };
