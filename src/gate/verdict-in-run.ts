import { hostFacts } from "./facts/host-facts.ts";
import { checkCallOn, refuseOn } from "./check.ts";
import type { CheckVerdict } from "./check-verdict.ts";
import type { GateState } from "./gate-state.ts";
import type { Bench } from "./ruling/judge.ts";

/** What would be decided about a call now: `here`, as a call of the run, and `elsewhere`, if somebody else carried it out, without the run's sandbox. */
export type VerdictInRun = { readonly here: CheckVerdict; readonly elsewhere: CheckVerdict };

/** Measures and decides as for a call of the run, with its labels, limits and the stop switch. Nothing runs, nothing is recorded, nobody is asked. */
export async function verdictInRun({ bench, parts }: GateState, call: { readonly name: string; readonly input: unknown }): Promise<VerdictInRun> {
  const gap = parts.gapOf?.(parts.tools.find(call.name)?.name ?? call.name) ?? null;
  const here =
    gap === null ? await parts.session.still(() => checkCallOn(bench, parts.tools, call)) : refuseOn(bench, "tool-unavailable", `${gap.reason} (${gap.gate})`);
  return { here, elsewhere: await checkCallOn(outside(bench), parts.tools, call) };
}

/** Nobody knows what else whoever carries it out was given. */
function outside(bench: Bench): Bench {
  const roots = bench.policy.workspace.roots.map((root) => root.path);
  return { ...bench, source: hostFacts(roots, "none"), containment: "none", labels: () => null };
}
