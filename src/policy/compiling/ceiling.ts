import { errorAt, type PolicyDiagnostic } from "../text/diagnostic.ts";
import { TRAFFIC_DEFAULTS } from "../network.ts";
import type { TightenedEffect } from "../policy.ts";
import type { PolicyContext } from "../language/path-expansion.ts";
import type { PolicyStatement, Stated, StatedValues } from "../language/statement.ts";
import { DEFAULTS, mainPath } from "./defaults.ts";
import { combineValue, merge, type Merged, raised } from "./merge.ts";
import { intersectRoots } from "./roots.ts";

/** What holds of each value where the policy below says nothing. What is not here has no bound then, and any is stricter. */
const SILENT: Partial<StatedValues> = {
  ...DEFAULTS,
  subAgents: 8,
  subAgentDepth: 1,
  credentials: [],
  hostNames: {},
  registries: [],
  networkLimits: TRAFFIC_DEFAULTS,
};

/** What a ceiling says and no ceiling can: it bounds what policies below it allow, and allows nothing itself. */
export function ceilingProblems({ rules, effects }: PolicyStatement): readonly PolicyDiagnostic[] {
  const refuse = (what: string, at: Stated<unknown>["at"]): PolicyDiagnostic =>
    errorAt(at, `${what} allows something, and a ceiling bounds what the policies below it allow.`, {
      why: "A policy that is stricter would be opened by it.",
      remedy: "Write it into a policy that others extend.",
    });
  return [
    ...rules.flatMap(({ id, verdict, at }) => (verdict === "allow" ? [refuse(`The rule \`${id}\``, at)] : [])),
    ...[...effects].flatMap(([kind, { value, at }]) => (value === "allow" ? [refuse(`The effect \`${kind}\``, at)] : [])),
  ];
}

/**
 * A policy under a ceiling: as a child under its parent, but that the ceiling loosens nothing. What the policy leaves to the defaults is bounded by the stricter of
 * the two, and what the ceiling asks about turns no denial into a question. `files`: of the policy, whose windows keep their places.
 */
export function underCeiling(ceiling: PolicyStatement, policy: PolicyStatement, context: PolicyContext, files: number): Merged {
  return merge(asCeiling(ceiling, policy, context, files), policy);
}

function asCeiling(ceiling: PolicyStatement, { values, roots }: PolicyStatement, context: PolicyContext, files: number): PolicyStatement {
  const asks = [...ceiling.effects].flatMap(([kind, { value, at }]): TightenedEffect[] => (value === "ask" ? [{ kind, verdict: "ask", when: [], at }] : []));
  return {
    ...ceiling,
    effects: new Map([...ceiling.effects].filter(([, { value }]) => value === "deny")),
    tightened: [...ceiling.tightened, ...asks],
    rules: ceiling.rules
      .map((rule) => raised(rule, files - 1))
      .map((rule) => (rule.verdict === "ask" && rule.when === undefined ? { ...rule, when: [] } : rule)),
    windows: ceiling.windows.map((window) => ({ ...window, level: window.level + files - 1 })),
    values: boundedByDefaults(ceiling.values, values),
    ...(roots === null && ceiling.roots !== null && { roots: boundedRoots(ceiling.roots, context) }),
  };
}

/** Of what the policy below does not state: what the ceiling leaves of the default. Absent, where that is the default itself. */
function boundedByDefaults(ceiling: PolicyStatement["values"], own: PolicyStatement["values"]): PolicyStatement["values"] {
  const keys = Object.keys(ceiling) as (keyof StatedValues)[];
  return Object.fromEntries(
    keys.flatMap((key) => {
      const bounded = own[key] === undefined && SILENT[key] !== undefined ? boundedValue(key, ceiling) : ceiling[key];
      return bounded === undefined ? [] : [[key, bounded]];
    }),
  );
}

function boundedValue<Key extends keyof StatedValues>(key: Key, ceiling: PolicyStatement["values"]): Stated<StatedValues[Key]> | undefined {
  const stated: Stated<StatedValues[Key]> | undefined = ceiling[key];
  const silent = SILENT[key] as StatedValues[Key];
  if (stated === undefined) return undefined;
  const value = combineValue(key, stated.value, silent);
  return JSON.stringify(value) === JSON.stringify(silent) ? undefined : { value, at: stated.at };
}

function boundedRoots(roots: NonNullable<PolicyStatement["roots"]>, context: PolicyContext): PolicyStatement["roots"] {
  const [first] = roots;
  return first === undefined ? roots : intersectRoots(roots, [{ path: mainPath(context), access: "read", at: first.at }], () => undefined);
}
