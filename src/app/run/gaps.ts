import type { Settings } from "../../config/settings.ts";
import type { Policy } from "../../policy/policy.ts";
import { programsOf } from "../../sandbox/programs-found.ts";
import type { Session } from "../../sandbox/runtime.ts";
import { type Gap, gapOf, needsGate, neededPrograms, type Surroundings, type ToolGate } from "../../tools/availability.ts";
import type { ToolRegistry } from "../../tools/registry.ts";

export type GapOf = (tool: string) => Gap | null;

type Parts = {
  readonly policy: Policy;
  readonly session: Session;
  readonly settings: Settings;
  readonly hasPerson: boolean;
  readonly hasSkills: boolean;
  readonly gates: readonly ToolGate[] | undefined;
};

/** Why tools of a run are not offered: what they need is not there, or a gate takes them away. The sandbox is looked at once. */
export async function gapsOf(tools: ToolRegistry, { policy, session, settings, hasPerson, hasSkills, gates = [] }: Parts): Promise<GapOf> {
  const surroundings: Surroundings = {
    policy,
    programs: await programsOf(session, neededPrograms(tools, policy)),
    settings: configured(settings),
    noBrowser: session.noBrowser,
    noJobs: session.noJobs,
    hasPerson,
    hasSkills,
  };
  const all = [needsGate(tools, surroundings), ...gates];
  return (tool) => gapOf(all, tool);
}

/** Keys of the settings that tools may need, those that name something. */
function configured(settings: Settings): ReadonlySet<string> {
  return new Set(Object.entries(settings).flatMap(([key, value]) => (value === null || (Array.isArray(value) && value.length === 0) ? [] : [key])));
}
