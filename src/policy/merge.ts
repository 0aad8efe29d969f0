import type { EffectKind } from "../programs/effect.ts";
import type { Verdict } from "./decision.ts";
import { warningAt, type PolicyDiagnostic } from "./diagnostic.ts";
import { matchesGlob, parseGlob } from "./glob.ts";
import { commonNames, credentialCovers, entryCovers, intersectionBy, tighterLimits } from "./network.ts";
import { intersectRoots } from "./roots.ts";
import type { PolicyStatement, Stated, StatedValues } from "./statement.ts";

/** A merged statement, and a warning wherever the child asked for more than its parent leaves it. */
export type Merged = { readonly statement: PolicyStatement; readonly warnings: readonly PolicyDiagnostic[] };

type Combine<T> = (parent: T, child: T) => T;

const VERDICTS: readonly Verdict[] = ["deny", "ask", "allow"];

/** The stricter of two, by a list that goes from strict to loose. */
function stricterOf<T>(...strictFirst: readonly T[]): Combine<T> {
  return (parent, child) => (strictFirst.indexOf(child) < strictFirst.indexOf(parent) ? child : parent);
}

/** At most the smaller count in the longer window: what keeps this keeps both. */
const tighterWindow: Combine<{ max: number; perMs: number }> = (parent, child) => ({
  max: Math.min(parent.max, child.max),
  perMs: Math.max(parent.perMs, child.perMs),
});

type Approvers = StatedValues["approvers"];

function mostOf(parent: Approvers, child: Approvers): Approvers {
  return Object.fromEntries(Object.entries(parent).map(([kind, count]) => [kind, Math.max(count, child[kind as EffectKind] ?? 0)]));
}

const smaller: Combine<number> = (parent, child) => Math.min(parent, child);
const same = (one: string, other: string): boolean => one === other;

/** How two statements of each value become one: the stricter of the two, or what both leave open. */
const COMBINE: { readonly [Key in keyof StatedValues]: Combine<StatedValues[Key]> } = {
  autonomy: stricterOf("read-only", "supervised", "full"),
  only: intersectionBy(same),
  blockHighRisk: (parent, child) => parent || child,
  actions: tighterWindow,
  asks: tighterWindow,
  cost: (parent, child) => ({ maxUsd: Math.min(parent.maxUsd, child.maxUsd), perMs: Math.max(parent.perMs, child.perMs) }),
  turns: smaller,
  tokens: smaller,
  minutes: smaller,
  // The image shows nothing of the host; bubblewrap shows the host's programs.
  runtime: stricterOf("docker", "bubblewrap"),
  workspace: stricterOf("none", "transactional", "bind"),
  env: intersectionBy(same),
  network: intersectionBy(entryCovers),
  credentials: intersectionBy(credentialCovers),
  networkLimits: tighterLimits,
  hostNames: commonNames,
  memoryBytes: smaller,
  cpus: smaller,
  processes: smaller,
  commandTimeoutMs: smaller,
  outputBytes: smaller,
  onAsk: stricterOf("deny", "park"),
  // What either of them wants confirmed by more than one yes stays so.
  approvers: (parent, child) => ({ ...parent, ...child, ...mostOf(parent, child) }),
  codes: (parent, child) => [...new Set([...parent, ...child])],
  tools: intersectionBy((wider, narrower) => wider === narrower || wider === "*" || (!/[*?[]/u.test(narrower) && matchesGlob(parseGlob(wider), narrower))),
};

/** A child on its parent. A parent bounds only what it states; what it states a child can only tighten. */
export function merge(parent: PolicyStatement, child: PolicyStatement): Merged {
  const warnings: PolicyDiagnostic[] = [];
  const loosens = (what: string, at: Stated<unknown>["at"], parentAt: Stated<unknown>["at"]): void => {
    warnings.push(
      warningAt(at, `\`${what}\` is looser than what it extends states at ${parentAt.file}:${parentAt.line}; the stricter holds.`, {
        why: "A policy can only tighten what it extends.",
        remedy: "Say the same or less, or extend another policy.",
      }),
    );
  };
  const effects = new Map(parent.effects);
  for (const [kind, stated] of child.effects) effects.set(kind, stricterEffect(kind, parent.effects.get(kind), stated, loosens));
  const roots = intersectRoots(parent.roots, child.roots, (at, parentAt) => loosens("workspace.roots", at, parentAt));
  return {
    statement: {
      name: child.name,
      roots,
      forbidden: [...parent.forbidden, ...child.forbidden],
      protected: [...parent.protected, ...child.protected],
      effects,
      rules: [...parent.rules, ...child.rules],
      deniedTools: [...parent.deniedTools, ...child.deniedTools],
      values: mergeValues(parent.values, child.values, loosens),
    },
    warnings,
  };
}

type Loosens = (what: string, at: Stated<unknown>["at"], parentAt: Stated<unknown>["at"]) => void;

function stricterEffect(kind: EffectKind, parent: Stated<Verdict> | undefined, child: Stated<Verdict>, loosens: Loosens): Stated<Verdict> {
  if (parent === undefined || VERDICTS.indexOf(child.value) < VERDICTS.indexOf(parent.value)) return child;
  if (child.value !== parent.value) loosens(`commands.effects.${kind}`, child.at, parent.at);
  return parent;
}

function mergeValues(parent: PolicyStatement["values"], child: PolicyStatement["values"], loosens: Loosens): PolicyStatement["values"] {
  const merged: Record<string, unknown> = { ...parent };
  for (const key of Object.keys(child) as (keyof StatedValues)[]) merged[key] = mergeValue(key, parent, child, loosens);
  return merged;
}

function mergeValue<Key extends keyof StatedValues>(
  key: Key,
  parent: PolicyStatement["values"],
  child: PolicyStatement["values"],
  loosens: Loosens,
): Stated<StatedValues[Key]> | undefined {
  const above: Stated<StatedValues[Key]> | undefined = parent[key];
  const own: Stated<StatedValues[Key]> | undefined = child[key];
  if (above === undefined || own === undefined) return own ?? above;
  const value = COMBINE[key](above.value, own.value);
  const text = JSON.stringify(value);
  if (text !== JSON.stringify(own.value)) loosens(NAMES[key], own.at, above.at);
  // What the parent states already binds by the parent's word, also when the child repeats it.
  const isParents = text === JSON.stringify(above.value) || text !== JSON.stringify(own.value);
  return { value, at: isParents ? above.at : own.at };
}

/** Each value's place in the language. */
export const NAMES: { readonly [Key in keyof StatedValues]: string } = {
  autonomy: "autonomy",
  only: "commands.only",
  blockHighRisk: "commands.block-high-risk",
  actions: "limits.actions",
  asks: "limits.asks",
  cost: "limits.cost",
  turns: "limits.run.turns",
  tokens: "limits.run.tokens",
  minutes: "limits.run.minutes",
  runtime: "sandbox.runtime",
  workspace: "sandbox.workspace",
  env: "sandbox.env",
  network: "sandbox.network",
  credentials: "sandbox.network.credentials",
  networkLimits: "sandbox.network.limits",
  hostNames: "sandbox.network.names",
  memoryBytes: "sandbox.memory",
  cpus: "sandbox.cpus",
  processes: "sandbox.processes",
  commandTimeoutMs: "sandbox.command-timeout",
  outputBytes: "sandbox.output",
  onAsk: "unattended.on-ask",
  approvers: "approvals.approvers",
  codes: "approvals.codes",
  tools: "tools.allow",
};
