import type { EffectKind } from "../../programs/effect.ts";
import type { Verdict } from "../decision.ts";
import type { CommandRule } from "../policy.ts";
import { warningAt, type PolicyDiagnostic } from "../text/diagnostic.ts";
import { matchesGlob, parseGlob } from "../matching/glob.ts";
import { commonNames, commonRegistries, intersectionBy, tighterLimits } from "./network-merge.ts";
import { credentialCovers, entryCovers } from "../matching/network-entries.ts";
import { NAMES, windowName } from "../language/places.ts";
import { intersectRoots } from "./roots.ts";
import type { PolicyStatement, Stated, StatedValues, StatedWindow } from "../language/statement.ts";

/** A merged statement, and a warning wherever the child asked for more than its parent leaves it. */
export type Merged = { readonly statement: PolicyStatement; readonly warnings: readonly PolicyDiagnostic[] };

type Combine<T> = (parent: T, child: T) => T;

const VERDICTS: readonly Verdict[] = ["deny", "ask", "allow"];

/** The stricter of two, by a list that goes from strict to loose. */
function stricterOf<T>(...strictFirst: readonly T[]): Combine<T> {
  return (parent, child) => (strictFirst.indexOf(child) < strictFirst.indexOf(parent) ? child : parent);
}

/** Whether the parent's window is at least as strict: whoever keeps it keeps the child's too. */
function impliesWindow(parent: StatedWindow, child: StatedWindow): boolean {
  if (parent.meter !== child.meter || parent.scope !== child.scope) return false;
  return child.max >= parent.max * Math.max(1, Math.ceil(child.perMs / parent.perMs));
}

type Approvers = StatedValues["approvers"];

function mostOf(parent: Approvers, child: Approvers): Approvers {
  return Object.fromEntries(Object.entries(parent).map(([kind, count]) => [kind, Math.max(count, child[kind as EffectKind] ?? 0)]));
}

const smaller: Combine<number> = (parent, child) => Math.min(parent, child);

/** What both lists hold. */
function common(parent: readonly string[], child: readonly string[]): readonly string[] {
  const held = new Set(parent);
  return child.filter((entry) => held.has(entry));
}

/** How two statements of each value become one: the stricter of the two, or what both leave open. */
const COMBINE: { readonly [Key in keyof StatedValues]: Combine<StatedValues[Key]> } = {
  autonomy: stricterOf("read-only", "supervised", "full"),
  only: common,
  blockHighRisk: (parent, child) => parent || child,
  turns: smaller,
  tokens: smaller,
  minutes: smaller,
  runActions: smaller,
  runCalls: smaller,
  runAsks: smaller,
  runUsd: smaller,
  subAgents: smaller,
  subAgentDepth: smaller,
  // The image shows nothing of the host; bubblewrap shows the host's programs.
  runtime: stricterOf("docker", "bubblewrap"),
  // No image is stricter than another: the one that was reviewed first holds.
  image: (parent) => parent,
  // gVisor answers system calls in place of the machine's kernel.
  engineRuntime: stricterOf("runsc", "runc"),
  workspace: stricterOf("none", "transactional", "bind"),
  env: common,
  network: intersectionBy(entryCovers),
  credentials: intersectionBy(credentialCovers),
  networkLimits: tighterLimits,
  hostNames: commonNames,
  registries: commonRegistries,
  memoryBytes: smaller,
  cpus: smaller,
  processes: smaller,
  commandTimeoutMs: smaller,
  outputBytes: smaller,
  // No name is stricter than another: the one that was reviewed first holds.
  gitIdentity: (parent) => parent,
  onAsk: stricterOf("deny", "park"),
  // What either of them wants confirmed by more than one yes stays so.
  approvers: (parent, child) => ({ ...parent, ...child, ...mostOf(parent, child) }),
  codes: (parent, child) => [...new Set([...parent, ...child])],
  tools: intersectionBy((wider, narrower) => wider === narrower || wider === "*" || (!/[*?[]/u.test(narrower) && matchesGlob(parseGlob(wider), narrower))),
};

/** What two statements of one value come to. */
export function combineValue<Key extends keyof StatedValues>(key: Key, parent: StatedValues[Key], child: StatedValues[Key]): StatedValues[Key] {
  return COMBINE[key](parent, child);
}

/** A child on its parent. A parent bounds only what it states; what it states a child can only tighten. */
export function merge(parent: PolicyStatement, child: PolicyStatement): Merged {
  const warnings: PolicyDiagnostic[] = [];
  const loosens = (what: string, at: Stated<unknown>["at"], parentAt: Stated<unknown>["at"]): void => {
    warnings.push(
      warningAt(at, "looser-than-parent", `\`${what}\` is looser than what it extends states at ${parentAt.file}:${parentAt.line}; the stricter holds.`, {
        why: "A policy can only tighten what it extends.",
        remedy: "Say the same or less, or extend another policy.",
      }),
    );
  };
  const effects = new Map(parent.effects);
  for (const [kind, stated] of child.effects) effects.set(kind, stricterEffect(kind, parent.effects.get(kind), stated, loosens));
  for (const own of child.windows) {
    const above = parent.windows.find((window) => impliesWindow(window, own) && !(window.max === own.max && window.perMs === own.perMs));
    if (above !== undefined) loosens(windowName(own), own.at, above.at);
  }
  const roots = intersectRoots(parent.roots, child.roots, (at, parentAt) => loosens("workspace.roots", at, parentAt));
  return {
    statement: {
      name: child.name,
      roots,
      forbidden: [...parent.forbidden, ...child.forbidden],
      protected: [...parent.protected, ...child.protected],
      sensitive: [...parent.sensitive, ...child.sensitive],
      tightened: [...parent.tightened, ...child.tightened],
      effects,
      rules: [...parent.rules.map((rule) => raised(rule, 1)), ...child.rules],
      deniedTools: [...parent.deniedTools, ...child.deniedTools],
      // Each counts in the account of the policy that states it: a child spends its parents' too.
      windows: [...parent.windows.map((window) => ({ ...window, level: window.level + 1 })), ...child.windows],
      mappings: [...parent.mappings, ...child.mappings],
      // A child adds to what looks at a run, and takes nothing away.
      hooks: [...parent.hooks, ...child.hooks],
      values: mergeValues(parent.values, child.values, loosens),
    },
    warnings,
  };
}

/** A rule of a policy that stands further above the run's own: its limit counts in the account of that policy. */
export function raised<Rule extends Pick<CommandRule, "max">>(rule: Rule, levels: number): Rule {
  return rule.max === undefined ? rule : { ...rule, max: { ...rule.max, level: rule.max.level + levels } };
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
  const value = combineValue(key, above.value, own.value);
  const text = JSON.stringify(value);
  if (text !== JSON.stringify(own.value)) loosens(NAMES[key], own.at, above.at);
  // What the parent states already binds by the parent's word, also when the child repeats it.
  const isParents = text === JSON.stringify(above.value) || text !== JSON.stringify(own.value);
  return { value, at: isParents ? above.at : own.at };
}
