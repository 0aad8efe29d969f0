import { rootAccess } from "./path-access.ts";
import { NO_VOICES, type RuleVoice, type UnitKind } from "../decision.ts";
import { holds, type Sight, whenText, whyHeld } from "../label.ts";
import type { TightenedEffect } from "../policy.ts";
import { momentAt, notInForce } from "../matching/rule-in-force.ts";
import { saidBy, whyUsedUp } from "../matching/rule-uses.ts";
import { OPAQUE_EFFECTS } from "./sealed-profile.ts";
import type { UnitSetting } from "./step-input.ts";

const PERSONS: Readonly<Record<"plan" | "question", readonly RuleVoice[]>> = {
  plan: [{ id: "plan-approval", step: "ask-rule", verdict: "ask", reason: "A run that plans leaves read-only only by a person's yes to this very plan." }],
  question: [{ id: "persons-answer", step: "ask-rule", verdict: "ask", reason: "It is a question to a person. The answer is words, and allows nothing." }],
};

/** Step 3: the policy's `ask` rules; and what is a person's alone, which no rule lifts. */
export function askRules({ rules, unit, uses }: UnitSetting): readonly RuleVoice[] {
  if (unit.persons !== undefined) return PERSONS[unit.persons];
  if (rules.asks.length === 0) return NO_VOICES;
  return rules.asks.map(({ rule }) => ({ id: rule.id, step: "ask-rule", verdict: "ask", reason: saidBy(rule, uses), at: rule.at }));
}

/** Effects that an allow rule does not settle: files and hosts are judged by themselves, and what is undecidable stays so. */
const NOT_SETTLED: ReadonlySet<UnitKind> = new Set(["reads", "writes", "deletes", "connects", "sends", "undecidable", "call"]);

/**
 * Step 4: an `allow` rule that covers the unit's whole simple command, run in a root of the policy, at a moment at which it is in force, and where its limit has room. Where high risk is blocked,
 * a rule settles it only in the file that blocks it: a child opens nothing that its parent closes.
 */
export function allowRules({ policy, unit, rules, assessment, uses, facts: { nowMs } }: UnitSetting): readonly RuleVoice[] {
  if (rules.allows.length === 0) return NO_VOICES;
  const { kind } = unit.unit;
  if (NOT_SETTLED.has(kind) || (kind !== "command" && kind !== "call" && policy.policy.commands.effects.get(kind)?.verdict === "ask")) return NO_VOICES;
  const cwd = unit.command?.cwd;
  if (cwd?.kind !== "known" || rootAccess(policy.policy, cwd.path) === null) return NO_VOICES;
  const blockedIn = blockingFile({ policy, assessment });
  const moment = momentAt(nowMs);
  return rules.allows
    .filter(({ rule }) => (blockedIn === null || rule.at.file === blockedIn) && notInForce(rule, moment) === null && whyUsedUp(rule, uses) === null)
    .map(({ rule }) => ({ id: rule.id, step: "allow-rule", verdict: "allow", reason: saidBy(rule, uses), at: rule.at }));
}

/** That a rule covers the command, where nothing but the moment or its limit keeps it from speaking. */
export function silentNote({ rules: { allows }, uses, facts: { nowMs } }: UnitSetting): string | null {
  for (const { rule } of allows) {
    const why = notInForce(rule, momentAt(nowMs)) ?? whyUsedUp(rule, uses);
    if (why !== null) return `the rule \`${rule.id}\`, which covers this command, ${why}`;
  }
  return null;
}

/** The file that blocks high risk: only its own allow rules open what is of high risk. Null: nothing is blocked, or the risk is lower. */
function blockingFile({ policy, assessment }: Pick<UnitSetting, "policy" | "assessment">): string | null {
  if (assessment.risk !== "high" || !policy.policy.commands.blockHighRisk) return null;
  return policy.policy.positions?.get("commands.block-high-risk")?.file ?? "";
}

/**
 * Step 5: what the policy says of the effect. An allow speaks only where the profile contains the call and what it
 * touches is known; of code that nobody read only where the profile is sealed; and of what is blocked as high risk only in the file that blocks it.
 */
export function effects({ policy, facts, unit, assessment }: UnitSetting): readonly RuleVoice[] {
  const { kind } = unit.unit;
  if (kind === "command" || kind === "call") return NO_VOICES;
  const effect = policy.policy.commands.effects.get(kind);
  if (effect === undefined) return NO_VOICES;
  const isOpaque = OPAQUE_EFFECTS.includes(kind);
  if (effect.verdict === "allow" && (facts.containment === "none" || !assessment.isCertain || (isOpaque && !policy.isSealed))) return NO_VOICES;
  const blockedIn = blockingFile({ policy, assessment });
  if (effect.verdict === "allow" && blockedIn !== null && effect.at.file !== blockedIn) return NO_VOICES;
  return [
    { id: `effect-${kind}`, step: "effect", verdict: effect.verdict, reason: `The policy says ${effect.verdict} for the effect \`${kind}\`.`, at: effect.at },
  ];
}

/** The id of what an effect is tightened to: `effect-sends-when-tainted`. */
function tightenedId({ kind, when }: Pick<TightenedEffect, "kind" | "when">): string {
  return `effect-${kind}-when-${when.length === 0 ? "always" : when.join("-and-")}`;
}

/**
 * What the policy says of the unit for what the model was given, the strictest first. It is no step: beside whatever the steps say the stricter holds, so
 * that more labels never loosen.
 */
export function tighteningVoices({ policy: { policy }, unit, rules, uses, facts: { labels } }: UnitSetting): readonly RuleVoice[] {
  const { kind } = unit.unit;
  const effects = policy.commands.tightened?.filter((effect) => effect.kind === kind && holds(effect.when, labels)) ?? [];
  if (effects.length === 0 && rules.tightens.length === 0) return NO_VOICES;
  const voice = (verdict: "ask" | "deny", when: readonly Sight[], said: Pick<RuleVoice, "id" | "at" | "reason">): RuleVoice => ({
    ...said,
    step: verdict === "deny" ? "deny" : "ask-rule",
    verdict,
    reason: `${said.reason} ${whyHeld(when, labels)}`,
    when,
  });
  const voices = [
    ...rules.tightens.flatMap(({ rule }) => {
      const { id, verdict, at, when = [] } = rule;
      if (verdict === "allow" || !holds(when, labels)) return [];
      const used = whyUsedUp(rule, uses);
      return [voice(used === null ? verdict : "deny", when, { id, reason: used === null ? saidBy(rule, uses) : `It ${used}.`, at })];
    }),
    ...effects.map((effect) =>
      voice(effect.verdict, effect.when, {
        id: tightenedId(effect),
        reason: `The policy says ${effect.verdict} for the effect \`${kind}\` when ${whenText(effect.when)}.`,
        at: effect.at,
      }),
    ),
  ];
  return voices.toSorted((one, other) => Number(other.verdict === "deny") - Number(one.verdict === "deny"));
}
