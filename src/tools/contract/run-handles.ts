import type { Label } from "../../policy/label.ts";
import type { Outcome } from "../../sandbox/outcome.ts";

/** A job that a run wants: what else it does is as this run does it. */
export type WantedJob = {
  readonly name: string;
  readonly cron: string;
  /** Null: this machine's. */
  readonly timeZone: string | null;
  readonly task: string;
};

/** A job of the run's workspace. */
export type ScheduledJob = Omit<WantedJob, "timeZone"> & {
  readonly timeZone: string;
  /** The run that proposed it; null: a person added it. */
  readonly fromRun: string | null;
  /** Why it does not run; null: it does. */
  readonly heldBecause: string | null;
  readonly labels: readonly Label[];
};

/** Jobs that run by the clock. Changes want the request `schedule` of the job, and give why nothing was changed; null: it was. */
export type ScheduleHandle = {
  propose(job: WantedJob): Promise<string | null>;
  withdraw(name: string): Promise<string | null>;
  list(): Promise<readonly ScheduledJob[]>;
};

/** How a run is set up, as its model is told. */
export type RunState = {
  readonly model: string | null;
  readonly policy: string;
  readonly autonomy: "read-only" | "supervised" | "full";
  readonly workspace: string;
  /** How often its model has answered. */
  readonly turn: number;
  readonly limits: readonly { readonly limit: string; readonly left: number; readonly of: number; readonly unit: string; readonly in_hours?: number }[];
};

export type RunHandle = { state(): Promise<RunState> };

/** A skill as a model is told of it: both of one visible line. */
export type Skill = { readonly name: string; readonly description: string };

export type SkillText =
  /** `isShown`: a person was shown it whole before they confirmed it. `further`: the other files, for the main one. */
  { readonly text: string; readonly isShown: boolean; readonly further: string } | { readonly problem: string };

/** Skills that a person installed and confirmed. `file`: null for the one that says what to do. */
export type SkillsHandle = { read(name: string, file: string | null): Promise<SkillText> };

/** What a sub-agent is to do. It has what the run has, or less: the tools of a list alone, and nothing that changes anything. */
export type Delegation = {
  readonly task: string;
  /** Tells it from the others of its call, also after a restart; absent: how many were before it does. */
  readonly name?: string;
  /** Names of the call's sub-agents that must end well before; what they said goes with the task. */
  readonly after?: readonly string[];
  readonly tools?: readonly string[];
  readonly isReadOnly?: boolean;
};

export type DelegationEnd =
  /** `text`: the last that it said, or what it did where it said nothing. */
  | {
      readonly kind: "ended";
      readonly runId: string;
      readonly isDone: boolean;
      readonly ending: string;
      readonly text: string;
      /** Of one that worked in an overlay of its own. */ readonly changes?: readonly HandedChange[];
    }
  | { readonly kind: "not-started"; readonly reason: string }
  /** It waits for a person, and so does the call that started it. */
  | { readonly kind: "parked"; readonly approvalId: string };

/** Sub-agents: runs of the same session, each call of which is judged by all that binds this run. */
export type AgentsHandle = {
  /**
   * Goes on until the sub-agent has ended. Of one call, each further one is another sub-agent, and a few work side by side; a call that is repeated after a
   * restart finds those that it had.
   */
  run(delegation: Delegation): Promise<DelegationEnd>;
  /** What a sub-agent of this run changed in an overlay of its own. Null: it has handed over nothing. */
  changes(agent: string): Promise<readonly HandedChange[] | null>;
  /** What a file of these was when it ended, as a text; null: it has not handed this over, or it is no text. */
  text(agent: string, path: string): Promise<string | null>;
  /** Writes such a file into the workspace, which wants the request `write`. A `conflict` where it is no longer what the sub-agent began with. */
  merge(agent: string, path: string): Promise<Outcome>;
};

/** A change of a sub-agent that worked in an overlay of its own. Nothing of it is in the run's workspace. */
export type HandedChange = {
  /** Absolute, in the run's workspace. */
  readonly path: string;
  /** `mode`: whether it can be executed changed, and nothing else. */
  readonly kind: "added" | "modified" | "deleted" | "mode";
  readonly size: number;
  /** sha256 of the file when the sub-agent began; null: there was none. */
  readonly before: string | null;
  /** sha256 of what it left; null: no file, or one that cannot be handed over. */
  readonly after: string | null;
  readonly isExecutable: boolean;
  /** Where the link leads that it left there, as it is written. Absent: it left none. */
  readonly link?: string;
  /** It was a directory. Absent: it was none. */
  readonly isDirectory?: true;
  /** Why it cannot be merged, in a few words; null: it can. */
  readonly obstacle: string | null;
};

/** What an MCP server wants a model to write: texts alone. */
export type SampleRequest = {
  readonly system: string | null;
  readonly messages: readonly { readonly role: "user" | "assistant"; readonly text: string }[];
  /** Of the answer, at most. */
  readonly maxTokens: number;
};

/** `isWhole`: the model came to its end. `problem`: why there is nothing, as a clause. */
export type SampleEnd = { readonly text: string; readonly model: string; readonly isWhole: boolean } | { readonly problem: string };

/** What an MCP server asks for while it does a call. Each time a person is asked, as an approval of its own; where nobody can be at once, nothing comes of it. */
export type ServerAsksHandle = {
  /** Words for the server. `isRefused`: a person said no. */
  question(text: string, choices: readonly string[]): Promise<{ readonly words: string } | { readonly problem: string; readonly isRefused: boolean }>;
  /** Has a model of the run write, once a person said yes to exactly that. It reads what the server gave, and nothing of the run; the run's budget pays. */
  sample(request: SampleRequest, of: { readonly server: string; readonly tool: string }): Promise<SampleEnd>;
};
