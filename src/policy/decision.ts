import type { EffectKind } from "../programs/effect.ts";
import type { Sight } from "./label.ts";
import type { Span } from "../shell/model/model.ts";

export type Verdict = "allow" | "ask" | "deny";
export type Risk = "low" | "medium" | "high";

/** The six steps of the evaluation of a unit, in their order; the first that speaks decides it. */
export type EvaluationStep = "hard-refusal" | "deny" | "ask-rule" | "allow-rule" | "effect" | "baseline";

/** Where in a policy file a rule stands: 1-based. */
export type SourcePosition = { readonly file: string; readonly line: number; readonly column: number };

/** One rule that spoke about one unit. Its id is stable: it stands in the audit log, in messages, tests and documentation. */
export type RuleVoice = {
  readonly id: string;
  readonly step: EvaluationStep;
  readonly verdict: Verdict;
  readonly reason: string;
  /** Absent for what is built in. */
  readonly at?: SourcePosition;
  /** What the model was given without which it would not have spoken. */
  readonly when?: readonly Sight[];
};

/** A step that does not speak. */
export const NO_VOICES: readonly RuleVoice[] = [];

/**
 * An effect; or, where there is none to decide: `command`, a simple command that does nothing to the
 * world (`true`), and `call`, a tool call that requests nothing. Both are low.
 */
export type UnitKind = EffectKind | "command" | "call";

/** What is decided: one effect of one simple command, or one request. */
export type Unit = {
  readonly kind: UnitKind;
  /** For a person: "writes /repo/src/a.ts", "git push origin main". */
  readonly subject: string;
  /** Index of the simple command in the analysis; null for a request that is no command. */
  readonly simple: number | null;
  /** The words in the command text that cause it. */
  readonly span?: Span;
};

export type UnitDecision = {
  readonly unit: Unit;
  readonly risk: Risk;
  readonly verdict: Verdict;
  readonly rule: RuleVoice;
  /** What the steps ask, where a question that a label brought stands before it. */
  readonly askedAnyway?: RuleVoice;
};

/** The strictest over the units of a call, and every rule that spoke. */
export type Decision = {
  readonly verdict: Verdict;
  readonly risk: Risk;
  /** One sentence: which rule, what it is about. Never a secret. */
  readonly reason: string;
  /** What would be allowed instead, when the rule knows. */
  readonly instead?: string;
  /** Each rule once, the deciding one first. */
  readonly rules: readonly RuleVoice[];
  readonly units: readonly UnitDecision[];
};
