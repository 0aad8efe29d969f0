import type { EffectKind } from "../../programs/effect.ts";
import type { SourcePosition, Verdict } from "../decision.ts";
import type { Credential, HostEntry, NetworkLimits, RegistryUse } from "../network.ts";
import type { StatedMapping } from "../tool-mapping.ts";
import type { CommandHook } from "../hook.ts";
import type { Access, Autonomy, CommandRule, GitIdentity, PathPattern, TightenedEffect, SandboxSettings, WindowLimit } from "../policy.ts";

/** Something that a file says, and where. */
export type Stated<T> = { readonly value: T; readonly at: SourcePosition };

export type StatedRoot = { readonly path: string; readonly access: Access; readonly at: SourcePosition };

/** A command rule with the examples that stand beside it. */
export type StatedRule = CommandRule & {
  readonly match: readonly Stated<string>[];
  readonly notMatch: readonly Stated<string>[];
};

export type StatedWindow = WindowLimit & { readonly at: SourcePosition };

/** The values that exactly one place in the language states, absent where a file says nothing. */
export type StatedValues = {
  readonly autonomy: Autonomy;
  readonly only: readonly string[];
  readonly blockHighRisk: boolean;
  readonly turns: number;
  readonly tokens: number;
  readonly minutes: number;
  readonly runActions: number;
  readonly runCalls: number;
  readonly runAsks: number;
  readonly runUsd: number;
  readonly subAgents: number;
  readonly subAgentDepth: number;
  readonly runtime: SandboxSettings["runtime"];
  readonly image: string;
  readonly engineRuntime: NonNullable<SandboxSettings["engineRuntime"]>;
  readonly workspace: SandboxSettings["workspace"];
  readonly env: readonly string[];
  readonly network: readonly HostEntry[];
  readonly credentials: readonly Credential[];
  readonly networkLimits: NetworkLimits;
  readonly hostNames: Readonly<Record<string, string>>;
  readonly registries: readonly RegistryUse[];
  readonly memoryBytes: number;
  readonly cpus: number;
  readonly processes: number;
  readonly commandTimeoutMs: number;
  readonly outputBytes: number;
  readonly gitIdentity: GitIdentity;
  readonly onAsk: "park" | "deny";
  readonly approvers: Readonly<Partial<Record<EffectKind, number>>>;
  readonly codes: readonly EffectKind[];
  readonly tools: readonly string[];
};

/** What a policy file states, with its paths filled in; or several files, merged. */
export type PolicyStatement = {
  readonly name: string;
  readonly roots: readonly StatedRoot[] | null;
  readonly forbidden: readonly PathPattern[];
  readonly protected: readonly PathPattern[];
  readonly sensitive: readonly PathPattern[];
  readonly tightened: readonly TightenedEffect[];
  readonly effects: ReadonlyMap<EffectKind, Stated<Verdict>>;
  readonly rules: readonly StatedRule[];
  readonly deniedTools: readonly Stated<string>[];
  readonly mappings: readonly Stated<StatedMapping>[];
  readonly windows: readonly StatedWindow[];
  readonly hooks: readonly CommandHook[];
  readonly values: { readonly [Key in keyof StatedValues]?: Stated<StatedValues[Key]> };
};
