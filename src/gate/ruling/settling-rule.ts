import type { EffectKind } from "../../programs/effect.ts";
import { decide } from "../../policy/deciding/evaluate.ts";
import type { CommandRule, Policy } from "../../policy/policy.ts";
import { readRuleWords } from "../../policy/matching/rule-words.ts";
import { factsOf } from "./judge.ts";
import type { RuledCall } from "./ruled-call.ts";

/** A change of the policy and how a person would write it. */
type Proposal = { readonly text: string; readonly policy: Policy };

/**
 * What the policy would have to say for a call not to be asked about: one line for who reviews the policy, or null when no single line does it.
 * Tried on the policy before it is named; whether it is wise is the reviewer's to say.
 */
export function answeringRule(call: RuledCall): string | null {
  const { judgement, gate } = call;
  if ((judgement.narrowing ?? "allow") !== "allow") return null;
  const facts = factsOf(gate.bench, judgement.call.tool, judgement.measured);
  const settles = ({ policy }: Proposal): boolean => decide(policy, judgement.call, facts).verdict === "allow";
  return proposals(call).find(settles)?.text ?? null;
}

function proposals(call: RuledCall): readonly Proposal[] {
  return [...changedRules(call), ...newRules(call), ...changedEffects(call)];
}

/** An `ask` rule that spoke, turned into an `allow` rule. */
function changedRules(call: RuledCall): readonly Proposal[] {
  const { policy } = call.gate.parts;
  const asking = call.ruling.decision.rules.filter((rule) => rule.step === "ask-rule" && rule.when === undefined);
  return asking.map((voice) => ({
    text: `change the rule ${voice.id}${voice.at === undefined ? "" : ` (${voice.at.file}:${voice.at.line})`} from ask to allow`,
    policy: withRules(
      policy,
      policy.commands.rules.map((rule) => (rule.id === voice.id ? { ...rule, verdict: "allow" } : rule)),
    ),
  }));
}

function newRules(call: RuledCall): readonly Proposal[] {
  const { policy } = call.gate.parts;
  const [request, ...others] = call.judgement.call.requests;
  if (request?.kind !== "command" || others.length > 0 || request.analysis.simples.length !== 1) return [];
  const argv = request.analysis.simples[0]?.argv ?? [];
  if (argv.some((word) => word.kind !== "literal")) return [];
  // A character that a rule cannot write stands as `?`, as the language says.
  const text = argv.map((word) => (word.kind === "literal" ? word.value.replaceAll(/[\s"'`\\$;|&<>(){}*?[\]]/gu, "?") : "*")).join(" ");
  const words = readRuleWords(text, "allow");
  if ("fault" in words) return [];
  const rule: CommandRule = { id: "proposed", verdict: "allow", words: words.words, because: "", at: { file: policy.files[0] ?? "", line: 1, column: 1 } };
  return [{ text: `rules: { allow: ${JSON.stringify(text)} }`, policy: withRules(policy, [...policy.commands.rules, rule]) }];
}

function changedEffects(call: RuledCall): readonly Proposal[] {
  const { policy } = call.gate.parts;
  const kinds = [...new Set(call.ruling.decision.units.flatMap((unit) => (unit.verdict === "ask" ? [unit.unit.kind] : [])))].toSorted();
  const named = kinds.filter((kind): kind is EffectKind => kind !== "command" && kind !== "call");
  if (named.length === 0 || named.length < kinds.length) return [];
  const at = { file: policy.files[0] ?? "", line: 1, column: 1 };
  const effects = new Map([...policy.commands.effects, ...named.map((kind) => [kind, { verdict: "allow" as const, at }] as const)]);
  return [{ text: `effects: { ${named.map((kind) => `${kind}: allow`).join(", ")} }`, policy: { ...policy, commands: { ...policy.commands, effects } } }];
}

function withRules(policy: Policy, rules: readonly CommandRule[]): Policy {
  return { ...policy, commands: { ...policy.commands, rules } };
}
