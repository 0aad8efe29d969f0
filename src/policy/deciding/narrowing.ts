import { canonicalJson } from "../../base/digest.ts";
import type { Decision, UnitDecision, Verdict } from "../decision.ts";
import type { Facts } from "../facts.ts";
import { hasNetwork } from "../matching/network-entries.ts";
import type { Policy } from "../policy.ts";
import type { CallRequest } from "../request.ts";
import { decide, isSameRule, severity, strictness } from "./evaluate.ts";

/** A decision by several policies. `narrowing`: the strictest verdict of those beside the first. */
export type NarrowedDecision = { readonly decision: Decision; readonly narrowing: Verdict };

/**
 * Decides a call under a policy and all that bind beside it: each unit as the strictest of them says, so the call is never allowed what one of them
 * refuses. The sandbox was made from `policy` alone. Whoever relies on more than that sandbox holds is judged as if there were none.
 */
export function decideNarrowed(policy: Policy, beside: readonly Policy[], call: CallRequest, facts: Facts): NarrowedDecision {
  const own = decide(policy, call, facts);
  const others = beside.map((other) => decide(other, call, isHeldBy(policy, other) ? facts : { ...facts, containment: "none" }));
  return {
    decision: others.reduce(stricter, own),
    narrowing: others.reduce<Verdict>((found, { verdict }) => (isStricter(verdict, found) ? verdict : found), "allow"),
  };
}

/** Two decisions about one call as one: of each unit, of its rules and of its risk the stricter. */
export function stricter(one: Decision, other: Decision): Decision {
  const units = one.units.map((unit, index): UnitDecision => {
    const second = other.units[index];
    return second !== undefined && isStricter(second.verdict, unit.verdict) ? second : unit;
  });
  const [first, second] = isStricter(other.verdict, one.verdict) ? [other, one] : [one, other];
  const rules = [...first.rules, ...second.rules.filter((voice) => !first.rules.some((known) => isSameRule(known, voice) && known.verdict === voice.verdict))];
  return { ...first, risk: severity(other.risk) > severity(one.risk) ? other.risk : one.risk, rules, units };
}

function isStricter(verdict: Verdict, than: Verdict): boolean {
  return strictness(verdict) > strictness(than);
}

const WORKSPACES: readonly Policy["sandbox"]["workspace"][] = ["bind", "transactional", "none"];

/** Whether a sandbox that was made from `policy` holds a command to all that `other` has a sandbox hold it to. */
export function isHeldBy({ sandbox, workspace }: Policy, other: Policy): boolean {
  const patterns = (list: Policy["workspace"]["forbidden"]): ReadonlySet<string> => new Set(list.map(({ pattern }) => pattern));
  const [forbidden, isProtected] = [patterns(workspace.forbidden), patterns(workspace.protected)];
  return (
    (!hasNetwork(sandbox.network) || canonicalJson(sandbox.network) === canonicalJson(other.sandbox.network)) &&
    WORKSPACES.indexOf(sandbox.workspace) >= WORKSPACES.indexOf(other.sandbox.workspace) &&
    (sandbox.runtime === "docker" || other.sandbox.runtime === "bubblewrap") &&
    sandbox.env.every((name) => other.sandbox.env.includes(name)) &&
    workspace.roots.every(({ path, access }) =>
      other.workspace.roots.some((root) => root.path === path && (root.access === "read-write" || access === "read")),
    ) &&
    other.workspace.forbidden.every(({ pattern }) => forbidden.has(pattern)) &&
    other.workspace.protected.every(({ pattern }) => isProtected.has(pattern) || forbidden.has(pattern))
  );
}

/** Effects that autonomy alone does not take for a change, where nobody knows what they do. */
const UNKNOWN = ["unknown", "undecidable"] as const;

/** The policy, and nothing that changes anything, whatever its rules and effects allow. */
export function readOnly(policy: Policy): Policy {
  const at = { file: "built in", line: 1, column: 1 };
  const effects = new Map([...policy.commands.effects, ...UNKNOWN.map((kind) => [kind, { verdict: "deny", at }] as const)]);
  return { ...policy, autonomy: "read-only", commands: { ...policy.commands, effects } };
}

/** The policy with no tools but those of the list that it allows. */
export function withTools(policy: Policy, names: readonly string[]): Policy {
  return { ...policy, tools: { allow: names, deny: policy.tools.deny } };
}
