import type { CompiledPolicy } from "./compiled-policy.ts";
import type { RuleVoice } from "../decision.ts";
import type { Facts } from "../facts.ts";
import type { PathCase } from "./unit-path.ts";
import type { CallRequest } from "../request.ts";
import type { Assessment } from "./risk.ts";
import type { CompiledRule } from "../matching/command-rules.ts";
import type { UnitCase } from "./units.ts";

/** The command rules that speak about one simple command. */
export type CommandVoices = {
  readonly denies: readonly CompiledRule[];
  readonly asks: readonly CompiledRule[];
  readonly allows: readonly CompiledRule[];
  /** Those of the policy that hold for what the model was given. */
  readonly tightens: readonly CompiledRule[];
};

/** What the steps look at that is the same for every unit of a call. */
export type CallSetting = {
  readonly policy: CompiledPolicy;
  readonly call: CallRequest;
  readonly facts: Facts;
  /** What the policy says against the tool, if anything. */
  readonly toolVoices: readonly RuleVoice[];
};

/** Everything that the steps look at when they decide one unit. */
export type UnitSetting = CallSetting & {
  readonly unit: UnitCase;
  readonly path: PathCase | null;
  readonly assessment: Assessment;
  readonly rules: CommandVoices;
  /** The unit's command has an effect of which nobody knows what it does. */
  readonly isOpaque: boolean;
};
