import { EFFECT_KINDS, type EffectKind } from "../../programs/effect.ts";
import type { SourcePosition, UnitDecision, Verdict } from "../decision.ts";
import { hasSideEffect } from "../deciding/risk.ts";
import { OPAQUE_EFFECTS, isCodeContained, isSealed } from "../deciding/sealed-profile.ts";
import { hasNetwork } from "../matching/network-entries.ts";
import { whenText } from "../label.ts";
import type { Policy, TightenedEffect } from "../policy.ts";
import type { Change } from "./change.ts";
import { ALL_EXAMPLES, EXAMPLES } from "./examples.ts";
import { blockedIn, hasDenyingBaseline, isOffline, tellsRiskApart } from "./policy-traits.ts";

/** What differs in the effects' verdicts, in the autonomy, and in what the risk of an effect depends on. */
export function effectChanges(before: Policy, after: Policy): readonly Change[] {
  return [
    ...EFFECT_KINDS.flatMap((kind) => [...verdictChange(kind, before, after), ...tightenedChanges(kind, before, after)]),
    ...baselineChanges(before, after),
    ...profileChanges(before, after),
  ];
}

type Stated = { readonly verdict: Verdict; readonly opensHighRisk: boolean; readonly at: SourcePosition } | null;

function statedOf(kind: EffectKind, policy: Policy): Stated {
  const effect = policy.commands.effects.get(kind);
  if (effect === undefined) return null;
  const blocked = blockedIn(policy);
  return { ...effect, opensHighRisk: blocked === null || effect.at.file === blocked };
}

function verdictChange(kind: EffectKind, before: Policy, after: Policy): readonly Change[] {
  const [one, other] = [statedOf(kind, before), statedOf(kind, after)];
  if (one?.verdict === other?.verdict && (one?.verdict !== "allow" || one.opensHighRisk === other?.opensHighRisk)) return [];
  const at = other?.at ?? one?.at;
  return [
    {
      part: { what: `effects.${kind}`, was: one?.verdict ?? null, is: other?.verdict ?? null, ...(at === undefined ? {} : { at }) },
      mayLoosen: isLooserVerdict(kind, [one, other], before, after),
      mayTighten: isLooserVerdict(kind, [other, one], after, before),
      candidates: EXAMPLES[kind],
      isCauseOf: (left, right) => left.unit.kind === kind && [left, right].some(({ rule }) => rule.id === `effect-${kind}`),
    },
  ];
}

const ALWAYS_MEDIUM: ReadonlySet<EffectKind> = new Set(["history", "remembers"]);
/** Kinds that are of medium risk where the profile is sealed, or so uncertain that no verdict of theirs speaks. */
const MEDIUM_WHERE_SEALED: ReadonlySet<EffectKind> = new Set(["writes", "deletes"]);

/** Whether full autonomy allows already whatever an `allow` for this kind could. No profile seals what an MCP server does. */
function isAllowedAnyway(kind: EffectKind, before: Policy, after: Policy): boolean {
  const isSealedAlone = isSealed(before) && [before, after].every(({ tools: { mcp = [] } }) => mcp.length === 0);
  return before.autonomy === "full" && (ALWAYS_MEDIUM.has(kind) || (MEDIUM_WHERE_SEALED.has(kind) && isSealedAlone));
}

/** Kinds that a policy without any network refuses before it looks at their verdict. */
const NEEDS_NETWORK: ReadonlySet<EffectKind> = new Set(["publishes", "remote"]);
/** Kinds of which such a policy refuses all but what asks the sandbox's own loopback, which is of low risk. */
const NEEDS_HOST: ReadonlySet<EffectKind> = new Set(["connects", "sends"]);

function isLooserVerdict(kind: EffectKind, [one, other]: readonly [Stated, Stated], before: Policy, after: Policy): boolean {
  if (other?.verdict === "deny" || (NEEDS_NETWORK.has(kind) && isOffline(after))) return false;
  // Refused by a step before, on the one side; allowed by the last one, on the other.
  if (after.autonomy === "read-only" && hasSideEffect(kind) && (kind !== "writes" || (one === null && other?.verdict === "allow"))) return false;
  if (one === null && other?.verdict === "allow" && isAllowedAnyway(kind, before, after)) return false;
  if (one === null && NEEDS_HOST.has(kind) && isOffline(before) && isOffline(after)) return false;
  if (one?.verdict === "allow")
    return other?.verdict === "allow" ? other.opensHighRisk && !one.opensHighRisk : other?.verdict === "ask" && hasDenyingBaseline(before);
  if (one === null && other?.verdict === "ask") return hasDenyingBaseline(before);
  return true;
}

function tightenedChanges(kind: EffectKind, before: Policy, after: Policy): readonly Change[] {
  const of = ({ commands }: Policy): readonly TightenedEffect[] => commands.tightened?.filter((effect) => effect.kind === kind) ?? [];
  const [older, newer] = [of(before), of(after)];
  const gone = older.filter((one) => !newer.some((other) => isSame(one, other)));
  const added = newer.filter((one) => !older.some((other) => isSame(one, other)));
  const change = (effect: TightenedEffect, isGone: boolean): Change => {
    const text = `${effect.verdict} when ${whenText(effect.when)}`;
    const others = isGone ? newer : older;
    const isCovered = others.some(
      ({ verdict, when }) => (verdict === "deny" || verdict === effect.verdict) && when.every((sight) => effect.when.includes(sight)),
    );
    return {
      part: { what: `effects.${kind}`, was: isGone ? text : null, is: isGone ? null : text, at: effect.at },
      mayLoosen: isGone && !isCovered,
      mayTighten: !isGone && !isCovered,
      candidates: EXAMPLES[kind],
      isConditional: true,
      isCauseOf: (left, right) => left.unit.kind === kind && (isGone ? left : right).rule.at?.line === effect.at.line,
    };
  };
  return [...gone.map((effect) => change(effect, true)), ...added.map((effect) => change(effect, false))];
}

function isSame(one: TightenedEffect, other: TightenedEffect): boolean {
  return one.verdict === other.verdict && one.when.toSorted().join() === other.when.toSorted().join();
}

const AUTONOMY = ["read-only", "supervised", "full"] as const;

const isOfBaseline = ({ rule }: UnitDecision): boolean => rule.step === "baseline" || rule.id === "read-only-autonomy";

function baselineChanges(before: Policy, after: Policy): readonly Change[] {
  const changes: Change[] = [];
  const position = (key: string): { readonly at?: SourcePosition } => {
    const at = after.positions?.get(key) ?? before.positions?.get(key);
    return at === undefined ? {} : { at };
  };
  const loosens = AUTONOMY.indexOf(after.autonomy) - AUTONOMY.indexOf(before.autonomy);
  if (loosens !== 0)
    changes.push({
      part: { what: "autonomy", was: before.autonomy, is: after.autonomy, ...position("autonomy") },
      // `read-only` refuses by a step before every rule; `full` settles by the last one.
      mayLoosen: loosens > 0,
      mayTighten: loosens < 0,
      candidates: ALL_EXAMPLES,
      isCauseOf: (left, right) => isOfBaseline(left) || isOfBaseline(right),
    });
  const [blocked, blocks] = [before.commands.blockHighRisk, after.commands.blockHighRisk];
  if (blocked !== blocks || (blocked && blockedIn(before) !== blockedIn(after)))
    changes.push({
      part: { what: "commands.block-high-risk", was: String(blocked), is: String(blocks), ...position("commands.block-high-risk") },
      mayLoosen: blocked && !blocks,
      mayTighten: blocks && !blocked,
      candidates: ALL_EXAMPLES,
      isCauseOf: (left, right) => isOfBaseline(left) || isOfBaseline(right),
    });
  return changes;
}

/** What follows from the sandbox: how risky an effect is, and whether an `allow` for code that nobody read speaks. */
function profileChanges(before: Policy, after: Policy): readonly Change[] {
  return TRAITS.flatMap(({ what, has, candidates, kinds, needsRisk }) => {
    const [was, is] = [has(before), has(after)];
    if (was === is) return [];
    return [
      {
        part: { what, was: yesOrNo(was), is: yesOrNo(is) },
        mayLoosen: is && (!needsRisk || tellsRiskApart(before, after)),
        mayTighten: was && (!needsRisk || tellsRiskApart(after, before)),
        candidates,
        isCauseOf: (left: UnitDecision, right: UnitDecision) => kinds.includes(left.unit.kind) && left.risk !== right.risk,
        isDerived: true as const,
      },
    ];
  });
}

type Trait = {
  readonly what: string;
  readonly has: (policy: Policy) => boolean;
  readonly candidates: Change["candidates"];
  readonly kinds: readonly string[];
  /** It only makes high risk medium. */
  readonly needsRisk: boolean;
};

const OPAQUE = OPAQUE_EFFECTS.flatMap((kind) => EXAMPLES[kind]);

const TRAITS: readonly Trait[] = [
  {
    what: "the profile is sealed",
    has: isSealed,
    candidates: [...OPAQUE, ...EXAMPLES.writes, ...EXAMPLES.deletes],
    kinds: [...OPAQUE_EFFECTS, "writes", "deletes"],
    needsRisk: true,
  },
  { what: "code that nobody read is contained", has: isCodeContained, candidates: EXAMPLES["runs-code"], kinds: ["runs-code"], needsRisk: true },
  // Outside the sandbox nothing masks what a walk through a tree may meet.
  {
    what: "no path is forbidden",
    has: ({ workspace }) => workspace.forbidden.length === 0,
    candidates: [
      { kind: "read", path: "a", isRecursive: true },
      { kind: "command", text: "ls -R ." },
    ],
    kinds: ["reads"],
    needsRisk: false,
  },
  {
    what: "there is no network",
    has: ({ sandbox }) => !hasNetwork(sandbox.network),
    candidates: EXAMPLES.sends,
    kinds: ["sends", "connects"],
    needsRisk: false,
  },
  {
    what: "the list of hosts holds programs to their configured hosts",
    has: holdsConfigured,
    candidates: EXAMPLES.connects,
    kinds: ["connects"],
    needsRisk: false,
  },
];

function yesOrNo(value: boolean): string {
  return value ? "yes" : "no";
}

function holdsConfigured({ sandbox: { network } }: Policy): boolean {
  return network.allow.includes("*") || (network.allow.length === 0 && (network.registries ?? []).length > 0);
}
