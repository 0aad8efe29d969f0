import { listDifference } from "../../approvals/card-difference.ts";
import { canonicalJson } from "../../base/digest.ts";
import { withoutPlaces } from "../../policy/hook.ts";
import type { CommandRule, Policy, TightenedEffect, WindowLimit } from "../../policy/policy.ts";
import { durationText } from "../../policy/text/quantity.ts";

/** What a policy says, as plain data without the places where it stands. */
export function policyText(policy: Policy): Record<string, unknown> {
  const { approvals, workspace, commands, autonomy, limits, sandbox, unattended, tools, hooks, name } = policy;
  return {
    name,
    autonomy,
    workspace: {
      roots: workspace.roots.map((root) => `${root.path} (${root.access})`),
      forbidden: workspace.forbidden.filter(({ isOfKeys }) => isOfKeys !== true).map(({ pattern }) => pattern),
      keys: workspace.forbidden.filter(({ isOfKeys }) => isOfKeys === true).map(({ pattern }) => pattern),
      protected: workspace.protected.map(({ pattern }) => pattern),
      ...(workspace.sensitive === undefined ? {} : { sensitive: workspace.sensitive.map(({ pattern }) => pattern) }),
    },
    commands: {
      only: commands.only,
      "block-high-risk": commands.blockHighRisk,
      effects: Object.fromEntries([...commands.effects].map(([kind, { verdict }]) => [kind, verdict])),
      ...(commands.gitIdentity === undefined ? {} : { "git-identity": commands.gitIdentity }),
      rules: commands.rules.map(
        (rule) => `${rule.id}: ${rule.verdict} ${rule.words.map((word) => (word.kind === "rest" ? "**" : word.glob)).join(" ")}${addedTo(rule)}`,
      ),
      ...(commands.tightened === undefined ? {} : { "effects-when": tightenedTexts(commands.tightened) }),
    },
    ...(approvals === undefined ? {} : { approvals }),
    limits: { ...limits, windows: limits.windows.map(windowText) },
    sandbox,
    unattended,
    tools,
    ...(hooks === undefined ? {} : { hooks: withoutPlaces(hooks) }),
  };
}

/** `, when tainted, until 2027-01-31, owned by Ada`. */
function addedTo({ when, expires, owner }: CommandRule): string {
  return [
    ...(when === undefined ? [] : [`, when ${when.join(" and ")}`]),
    ...(expires === undefined ? [] : [`, until ${expires}`]),
    ...(owner === undefined ? [] : [`, owned by ${owner}`]),
  ].join("");
}

/** `sends: deny, when tainted`. */
function tightenedTexts(tightened: readonly TightenedEffect[]): readonly string[] {
  return tightened.map(({ kind, verdict, when }) => `${kind}: ${verdict}, when ${when.join(" and ")}`);
}

/** `actions: max 50 per 1h, of nightly`; `schedule.` before what each scheduled job has by itself. */
function windowText({ meter, max, perMs, scope, by }: WindowLimit): string {
  const amount = meter === "cost" ? `max-usd ${max / 1_000_000}` : `max ${meter === "minutes" ? max / 60_000 : max}`;
  return `${scope === "schedule" ? "schedule." : ""}${meter}: ${amount} per ${durationText(perMs)}, of ${by}`;
}

/** What differs between two texts of policies, for a person: `- key: was`, `+ key: is`. `before` is JSON, null when it was not kept. */
export function policyDifference(before: string | null, now: Policy): readonly string[] {
  if (before === null) return ["~ what the policy said before was not kept"];
  const lines = listDifference("policy", linesOf(JSON.parse(before)), linesOf(policyText(now)));
  return lines.length > 0 ? lines : ["~ the policy differs in what is not shown here"];
}

function linesOf(value: unknown, place = ""): string[] {
  if (Array.isArray(value)) return value.map((entry) => `${place}: ${typeof entry === "string" ? entry : canonicalJson(entry)}`);
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([key, inner]) => linesOf(inner, place === "" ? key : `${place}.${key}`));
  return [`${place}: ${String(value)}`];
}
