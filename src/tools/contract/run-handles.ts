import type { Label } from "../../policy/label.ts";

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
