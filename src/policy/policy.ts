import type { EffectKind } from "../programs/effect.ts";
import type { SourcePosition, Verdict } from "./decision.ts";
import type { Sight } from "./label.ts";
import type { StatedMapping } from "./tool-mapping.ts";
import type { CommandHook } from "./hook.ts";
import type { NetworkSettings } from "./network.ts";
import type { DailyHours } from "./text/hours.ts";

export type Autonomy = "read-only" | "supervised" | "full";
export type Access = "read" | "read-write";

/** An absolute path pattern in minimatch syntax with `dot: true`; `~` and the workspace are filled in. */
export type PathPattern = {
  readonly pattern: string;
  readonly at: SourcePosition;
  /** Forbids private keys: what holds nothing but public parts may be read. */ readonly isOfKeys?: true;
};

/** One word of a rule's argv pattern. `rest` stands for any number of further words and is last. */
export type PatternWord = { readonly kind: "word"; readonly glob: string } | { readonly kind: "rest" };

/** Who is named as author and committer of what is committed in a sandbox. */
export type GitIdentity = { readonly name: string; readonly email: string };

/** A list of commands that Warder ships, and which change of it. */
export type RuleGroup = { readonly name: string; readonly version: number };

/** How often a rule may be used: by one run (`perMs` null), or in any time of `perMs`. */
export type UseLimit = {
  readonly times: number;
  readonly perMs: number | null;
  /** The policy that states it, and how many `extends` it is above the run's own (0: the run's own). */
  readonly by: string;
  readonly level: number;
};

export type CommandRule = {
  readonly id: string;
  readonly verdict: Verdict;
  readonly words: readonly PatternWord[];
  /** The named list that it is one command of; all of one rule stand beside each other, under one id. */
  readonly group?: RuleGroup;
  readonly because: string;
  readonly at: SourcePosition;
  /** It speaks only once the model was given what all of these name, and then only tightens; absent: always. */
  readonly when?: readonly Sight[];
  /** The last day on which an `allow` speaks (`2027-01-31`, UTC); absent: it has none. */
  readonly expires?: string;
  /** The hours in which it speaks; absent: all of them. */
  readonly between?: DailyHours;
  /** Commands of an ask or deny that it says nothing about; absent: none. */
  readonly except?: readonly (readonly PatternWord[])[];
  /** How often it may be used; beyond that an `allow` is silent, and an `ask` denies. Absent: as often as it speaks. */
  readonly max?: UseLimit;
  /** Who answers for it. */
  readonly owner?: string;
};

/** What an effect is tightened to once the model was given what all of `when` name. */
export type TightenedEffect = { readonly kind: EffectKind; readonly verdict: "ask" | "deny"; readonly when: readonly Sight[]; readonly at: SourcePosition };

/** What a limit counts: calls that change something, all calls, questions, tokens, what models cost, how long runs take. */
export const METERS = ["actions", "calls", "asks", "tokens", "cost", "minutes"] as const;
export type Meter = (typeof METERS)[number];

/** What the limit of one rule counts: its uses, by the rule's id. */
export type RuleMeter = `rule:${string}`;

/** At most `max` in any time of `perMs`. `max` is a number of things; millionths of a US dollar for `cost`, milliseconds for `minutes`. */
export type WindowLimit = {
  readonly meter: Meter;
  readonly max: number;
  readonly perMs: number;
  /** Counted over everything under the policy that states it, or for each scheduled job by itself. */
  readonly scope: "policy" | "schedule";
  /** The policy that states it, and how many `extends` it is above the run's own (0: the run's own). */
  readonly by: string;
  readonly level: number;
};

/** A loaded policy: immutable, `extends` already merged in. */
export type Policy = {
  readonly name: string;
  /** `digestOf` the merged policy without source positions. */
  readonly digest: string;
  /** The files it was made from: its own first, then what it extends, the outermost parent last. */
  readonly files: readonly string[];
  readonly autonomy: Autonomy;
  readonly workspace: {
    /** The workspace that the run was given, whether or not a root opens it. */
    readonly path?: string;
    /** Absolute. `.` is the workspace that the run was given. */
    readonly roots: readonly { readonly path: string; readonly access: Access }[];
    readonly forbidden: readonly PathPattern[];
    readonly protected: readonly PathPattern[];
    /** What is read there is sensitive; absent: nothing is for where it lies. */
    readonly sensitive?: readonly PathPattern[];
  };
  readonly commands: {
    readonly only: readonly string[] | null;
    readonly onlyAt: SourcePosition | null;
    readonly blockHighRisk: boolean;
    readonly effects: ReadonlyMap<EffectKind, { readonly verdict: Verdict; readonly at: SourcePosition }>;
    readonly rules: readonly CommandRule[];
    /** Absent: none. */
    readonly tightened?: readonly TightenedEffect[];
    /** Absent: the person's own. */
    readonly gitIdentity?: GitIdentity;
  };
  readonly limits: {
    /** All of them hold, those of the parents too. */
    readonly windows: readonly WindowLimit[];
    readonly run: {
      readonly turns: number;
      readonly tokens: number;
      readonly minutes: number;
      readonly actions: number | null;
      readonly calls: number | null;
      readonly asks: number | null;
      readonly maxUsd: number | null;
      /** Sub-agents all together, and how deep they go. Absent: 8, and 1. */
      readonly subAgents?: number;
      readonly subAgentDepth?: number;
    };
  };
  readonly sandbox: SandboxSettings;
  readonly unattended: { readonly onAsk: "park" | "deny" };
  /** Absent: one person's yes suffices everywhere. */
  readonly approvals?: {
    /** How many different persons must say yes to a call with an effect. */
    readonly approvers: Readonly<Partial<Record<EffectKind, number>>>;
    /** Effects to which a yes wants a one-time code. */
    readonly codes: readonly EffectKind[];
  };
  readonly tools: {
    readonly allow: readonly string[];
    readonly deny: readonly string[];
    /** What arguments of foreign tools mean, by patterns of their names. Absent: nothing is said of any. */
    readonly mcp?: readonly StatedMapping[];
  };
  /** Absent: none. Those of parents first, those of the user's settings last. */
  readonly hooks?: readonly CommandHook[];
  /**
   * Where what is not a rule of its own was stated, by its place in the language: `autonomy`,
   * `commands.block-high-risk`, `limits.actions`, `limits.actions.0`, `sandbox.network`, `tools.allow`, `tools.deny.NAME`, `workspace.roots.PATH`.
   * No part of the digest.
   */
  readonly positions?: ReadonlyMap<string, SourcePosition>;
};

/** The `sandbox:` part of a policy. */
export type SandboxSettings = {
  readonly runtime: "docker" | "bubblewrap";
  /** What commands run in: the name of an image that a person prepared, or a content digest (`sha256:…`). Absent: Warder's own. */
  readonly image?: string;
  /** What the engine starts a container with: `runsc` is gVisor. Absent: the engine's own choice. */
  readonly engineRuntime?: "runc" | "runsc";
  readonly workspace: "transactional" | "bind" | "none";
  /** Names of the variables that are passed through. */
  readonly env: readonly string[];
  readonly network: NetworkSettings;
  readonly memoryBytes: number;
  readonly cpus: number;
  readonly processes: number;
  readonly commandTimeoutMs: number;
  readonly outputBytes: number;
};
