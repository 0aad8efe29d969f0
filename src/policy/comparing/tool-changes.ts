import type { UnitDecision } from "../decision.ts";
import { type Glob, matchesGlob, parseGlob } from "../matching/glob.ts";
import type { Policy } from "../policy.ts";
import { tellsRiskApart } from "./policy-traits.ts";
import { TOOL_NAMES } from "../tool-names.ts";
import { toolDenials } from "../deciding/denials.ts";
import { type Budget, matchSteps, SPENT } from "./budget.ts";
import type { Change } from "./change.ts";
import { classesWithin } from "./glob-classes.ts";
import { ANY_WORD } from "./rule-reading.ts";
import type { Wanted } from "./wanted.ts";

/** Tools that only one of the policies lets be called, or names by more than `*`: found over all names, by reading every pattern side by side. */
export function toolChanges(before: Policy, after: Policy, budget: Budget): readonly Change[] {
  const patterns = [before, after].flatMap(({ tools }) => [...tools.allow, ...tools.deny]);
  if (JSON.stringify(before.tools) === JSON.stringify(after.tools)) return [];
  const globs: readonly Glob[] = [...new Set(patterns)].map(parseGlob);
  const classes = classesWithin(ANY_WORD, globs, budget, "/");
  const names = [...new Set([...Object.keys(TOOL_NAMES), ...(classes ?? []).map(({ word }) => word).filter((word) => word !== "")])];
  const tokens = patterns.reduce((sum, pattern) => sum + 1 + pattern.length, 0);
  const changes = names.flatMap((name) => (budget.take(4 * tokens + matchSteps(name.length, tokens)) ? toolChange(name, before, after) : []));
  if (classes !== null && !budget.isSpent) return changes;
  return [
    ...changes,
    {
      part: { what: "tools", was: null, is: null },
      mayLoosen: true,
      mayTighten: true,
      candidates: [],
      isCauseOf: isOfTools,
      limit: budget.isSpent ? SPENT : "its patterns overlap with too many others to be told apart",
    },
  ];
}

const TOOL_RULES: ReadonlySet<string> = new Set(["tool-denied", "tool-not-allowed"]);

function isOfTools(one: UnitDecision, two: UnitDecision): boolean {
  return [one, two].some(({ rule, unit }) => TOOL_RULES.has(rule.id) || unit.kind === "invokes");
}

function toolChange(name: string, before: Policy, after: Policy): readonly Change[] {
  const [denied, denies] = [before, after].map((policy) => toolDenials(policy, name).length > 0);
  const [was, is] = [
    denied === true ? "denied" : isNamed(before, name) ? "named" : "allowed",
    denies === true ? "denied" : isNamed(after, name) ? "named" : "allowed",
  ];
  if (was === is) return [];
  const at = after.positions?.get("tools.allow") ?? before.positions?.get("tools.allow");
  const isOwn = Object.hasOwn(TOOL_NAMES, name);
  const candidates: readonly Wanted[] = isOwn ? [{ kind: "tool", tool: name }] : [{ kind: "invoke", tool: name }];
  return [
    {
      part: { what: `tool ${name}`, was, is, ...(at === undefined ? {} : { at }) },
      mayLoosen: denied === true || (is === "named" && (isOwn || tellsRiskApart(before, after))),
      mayTighten: denies === true || was === "named",
      candidates,
      isCauseOf: isOfTools,
      ...(isOwn ? { limit: "some tools are offered only where the policy names them" } : {}),
    },
  ];
}

/** By more than `*`: of medium risk, and offered where a tool must be named. */
function isNamed({ tools }: Policy, name: string): boolean {
  return tools.allow.some((pattern) => !/^\*+$/u.test(pattern) && matchesGlob(parseGlob(pattern), name));
}
