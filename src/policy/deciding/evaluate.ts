import { compiled } from "./compiled-policy.ts";
import type { Decision, EvaluationStep, Risk, RuleVoice, UnitDecision, Verdict } from "../decision.ts";
import { denials, toolDenials } from "./denials.ts";
import type { Facts } from "../facts.ts";
import { hardRefusals } from "./hard-refusals.ts";
import { baselineVoice } from "./autonomy.ts";
import { insteadOf } from "./alternative.ts";
import { allowRules, askRules, effects, silentNote, tighteningVoices } from "./ask-and-allow.ts";
import { pathCaseOf } from "./unit-path.ts";
import type { Policy } from "../policy.ts";
import type { CallRequest } from "../request.ts";
import { assess, isAction } from "./risk.ts";
import { type CompiledRule, coversCommand, speaksAbout, viewCommand } from "../matching/command-rules.ts";
import { momentAt, notInForce } from "../matching/rule-in-force.ts";
import { usesOfCall } from "../matching/rule-uses.ts";
import { OPAQUE_EFFECTS } from "./sealed-profile.ts";
import { asServerSees, type CallSetting, type CommandVoices, type UnitSetting } from "./step-input.ts";
import type { SimpleCommand } from "../../shell/model/model.ts";
import { unitsOf, type UnitCase } from "./units.ts";

export function strictness(verdict: Verdict): number {
  return verdict === "allow" ? 0 : verdict === "ask" ? 1 : 2;
}

export function severity(risk: Risk): number {
  return risk === "low" ? 0 : risk === "medium" ? 1 : 2;
}

type Judged = { readonly decision: UnitDecision; readonly voices: readonly RuleVoice[] };

/**
 * Decides a call: pure, synchronous, total. The strictest over its units, with every rule that spoke; the
 * deciding one is first. What the facts do not tell counts as the riskiest (law 8).
 */
export function decide(policy: Policy, call: CallRequest, facts: Facts): Decision {
  const rules = compiled(policy);
  const voices = rules.hasRules ? new Map<SimpleCommand, CommandVoices>() : null;
  const cases = unitsOf(call);
  const opaque = opaqueCommands(cases);
  const about: CallSetting = {
    policy: rules,
    call,
    facts,
    uses: { before: facts.uses, inCall: usesOfCall(rules.limitedRules, commandsOf(cases)) },
    toolVoices: toolDenials(
      policy,
      call.tool,
      call.requests.some(({ kind }) => kind === "delegate"),
    ),
  };
  const judged = cases.map((unit) => judgeUnit(about, unit, { rules: voicesOf(about, unit, voices), isOpaque: opaque?.has(unit.command) === true }));
  return combine(policy, facts.asksLeft !== null && facts.asksLeft <= 0 ? judged.map((unit) => refuseAsk(policy, unit)) : judged);
}

/** Whether the call that was decided counts against `limits.actions`. */
export function countsAsAction(policy: Policy, decision: Pick<Decision, "units">): boolean {
  return decision.units.some(({ unit }) => isAction(unit.kind, policy.sandbox.workspace));
}

function commandsOf(cases: readonly UnitCase[]): ReadonlySet<SimpleCommand> {
  return new Set(cases.flatMap(({ command }) => command ?? []));
}

/** How often a call that was decided uses each rule which has a limit and let it pass, by the rule's id. Infinite where nobody can count. */
export function usesOf(policy: Policy, call: CallRequest, { rules }: Pick<Decision, "rules">): ReadonlyMap<string, number> {
  const { limitedRules } = compiled(policy);
  if (limitedRules.length === 0) return new Map();
  const spoke = new Set(rules.flatMap(({ id, verdict }) => (verdict === "deny" ? [] : [id])));
  return new Map([...usesOfCall(limitedRules, commandsOf(unitsOf(call)))].filter(([id]) => spoke.has(id)));
}

/** The commands with an effect of which nobody knows what it does; null when there is none. */
function opaqueCommands(cases: readonly UnitCase[]): ReadonlySet<SimpleCommand | null> | null {
  let found: Set<SimpleCommand | null> | null = null;
  for (const { unit, command } of cases) if ((OPAQUE_EFFECTS as readonly string[]).includes(unit.kind)) (found ??= new Set()).add(command);
  return found;
}

const NO_VOICES: CommandVoices = { denies: [], asks: [], allows: [], tightens: [] };

/** The rules that speak about a unit's simple command, looked up once for all of its units. */
function voicesOf({ policy, facts: { nowMs } }: CallSetting, { command }: UnitCase, known: Map<SimpleCommand, CommandVoices> | null): CommandVoices {
  if (command === null || known === null) return NO_VOICES;
  let found = known.get(command);
  if (found === undefined) {
    const view = viewCommand(command);
    const moment = momentAt(nowMs);
    const speaks = (rule: CompiledRule): boolean => speaksAbout(rule, command, view) && notInForce(rule.rule, moment) === null;
    found = {
      denies: oncePerRule(policy.denyRules.matching(view).filter(speaks)),
      asks: oncePerRule(policy.askRules.matching(view).filter(speaks)),
      allows: oncePerRule(policy.allowRules.covering(command).filter((rule) => coversCommand(rule, command))),
      tightens: oncePerRule(policy.conditionalRules.matching(view).filter(speaks)),
    };
    known.set(command, found);
  }
  return found;
}

/** A list of commands is one voice, however many of them the command may be. */
function oncePerRule(rules: readonly CompiledRule[]): readonly CompiledRule[] {
  return rules.length < 2
    ? rules
    : rules.filter(({ rule }, index) => rule.group === undefined || rules.findIndex((other) => other.rule.id === rule.id) === index);
}

function judgeUnit(about: CallSetting, unit: UnitCase, { rules, isOpaque }: Pick<UnitSetting, "rules" | "isOpaque">): Judged {
  const { call, uses, toolVoices } = about;
  const { policy, facts } = unit.server === undefined ? about : asServerSees(about, unit.server);
  const path = pathCaseOf(policy, unit, facts);
  const assessment = assess(policy, unit, path, facts);
  const setting: UnitSetting = { policy, call, facts, uses, toolVoices, unit, rules, isOpaque, path, assessment };
  const said = firstToSpeak(setting);
  const voices = tightenedBy(tighteningVoices(setting), said);
  const [rule, beneath] = [voices[0] as RuleVoice, said[0]];
  const risk = rule === NO_RULE ? "high" : assessment.risk;
  const decision: UnitDecision = { unit: unit.unit, risk, verdict: rule.verdict, rule };
  if (beneath === undefined || beneath === rule || beneath.verdict !== "ask" || rule.verdict !== "ask") return { decision, voices };
  return { decision: { ...decision, askedAnyway: beneath }, voices };
}

/**
 * Of what the steps say and what tightens it, the stricter decides. Both have spoken, so both are told. Of two that ask the one that a label brought
 * decides: a person's lasting answer was given before anybody knew of that.
 */
function tightenedBy(more: readonly RuleVoice[], voices: readonly RuleVoice[]): readonly RuleVoice[] {
  const [first] = more;
  const [decided] = voices;
  if (first === undefined || decided === undefined) return voices;
  const isFirst = strictness(first.verdict) > strictness(decided.verdict) || (first.verdict === "ask" && decided.verdict === "ask");
  return isFirst ? [...more, ...voices] : [...voices, ...more];
}

const NO_RULE: RuleVoice = { id: "no-rule", step: "baseline", verdict: "deny", reason: "No step of the policy spoke." };

/** The six steps in their order; the first that speaks decides the unit. Written out, as nearly every unit goes through each of them. */
function firstToSpeak(setting: UnitSetting): readonly RuleVoice[] {
  let voices = hardRefusals(setting);
  if (voices.length === 0) voices = denials(setting);
  if (voices.length === 0) voices = askRules(setting);
  if (voices.length === 0) voices = allowRules(setting);
  if (voices.length === 0) voices = effects(setting);
  if (voices.length === 0) voices = baseline(setting);
  return voices.length === 0 ? [NO_RULE] : voices;
}

/** Step 6: autonomy by risk. Always speaks. */
function baseline(setting: UnitSetting): readonly RuleVoice[] {
  const { policy, assessment } = setting;
  const { risk } = assessment;
  const note = assessment.note ?? silentNote(setting);
  return note === null ? policy.baselines[risk] : [baselineVoice(policy.policy, risk, note)];
}

/** Beyond the limit of questions an ask is a denial. */
function refuseAsk(policy: Policy, judged: Judged): Judged {
  if (judged.decision.verdict !== "ask") return judged;
  const at = policy.positions?.get("limits.asks");
  const rule: RuleVoice = {
    id: "budget-asks",
    step: "hard-refusal",
    verdict: "deny",
    reason: "It would need a person's word, and the policy's limit of questions is used up.",
    ...(at === undefined ? {} : { at }),
  };
  return { decision: { ...judged.decision, verdict: "deny", rule }, voices: [rule, ...judged.voices] };
}

function combine(policy: Policy, judged: readonly Judged[]): Decision {
  const ordered = isInOrder(judged) ? judged : judged.toSorted(byWeight);
  const { decision: first, voices } = ordered[0] as Judged;
  const rules = ordered.length === 1 ? voices : distinctRules(ordered);
  let risk: Risk = "low";
  for (const { decision } of judged) if (severity(decision.risk) > severity(risk)) ({ risk } = decision);
  const instead = first.verdict === "deny" ? insteadOf(first.rule.id, policy) : null;
  const reason = `${first.unit.subject}: ${first.rule.reason}`;
  const units = judged.map(({ decision }) => decision);
  return instead === null ? { verdict: first.verdict, risk, reason, rules, units } : { verdict: first.verdict, risk, reason, instead, rules, units };
}

/** Each rule once; a unit alone has none twice. */
function distinctRules(judged: readonly Judged[]): readonly RuleVoice[] {
  const rules: RuleVoice[] = [];
  for (const { voices } of judged) for (const voice of voices) if (!rules.some((known) => isSameRule(known, voice))) rules.push(voice);
  return rules;
}

const STEP_ORDER: readonly EvaluationStep[] = ["hard-refusal", "deny", "ask-rule", "allow-rule", "effect", "baseline"];

/** The strictest first, then what was decided earliest, then the riskiest: the reason that is told first. */
function byWeight({ decision: one }: Judged, { decision: other }: Judged): number {
  return (
    strictness(other.verdict) - strictness(one.verdict) ||
    STEP_ORDER.indexOf(one.rule.step) - STEP_ORDER.indexOf(other.rule.step) ||
    severity(other.risk) - severity(one.risk)
  );
}

function isInOrder(judged: readonly Judged[]): boolean {
  for (let index = 1; index < judged.length; index += 1) if (byWeight(judged[index - 1] as Judged, judged[index] as Judged) > 0) return false;
  return true;
}

export function isSameRule(one: RuleVoice, other: RuleVoice): boolean {
  return one.id === other.id && one.at?.line === other.at?.line && one.at?.file === other.at?.file;
}
