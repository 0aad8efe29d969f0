import { openArena } from "./arena.ts";
import type { Attack } from "./attack.ts";
import type { ArenaOptions } from "./engine.ts";
import type { Verdict } from "./judge.ts";
import { SECRET_PREFIX } from "./place.ts";

export type SuiteResult = { readonly verdicts: readonly Verdict[]; /** What was still there at the end. */ readonly left: readonly string[] };

/** Performs attacks in their order, one verdict each. `onVerdict` is told of each as it is known: those whose changes land come last. */
export async function runAttacks(
  attacks: readonly Attack[],
  options: ArenaOptions,
  onVerdict: (verdict: Verdict) => void = () => undefined,
): Promise<SuiteResult> {
  // What a sandbox must never be given: Warder's own environment, of which this is a part.
  process.env["WARDER_CANARY"] = `${SECRET_PREFIX}environment`;
  const arena = openArena(attacks, options);
  const verdicts: Verdict[] = [];
  const tell = (verdict: Verdict): void => {
    verdicts.push(verdict);
    onVerdict(verdict);
  };
  let left: readonly string[];
  try {
    for (const attack of attacks) {
      const verdict = await arena.attack(attack);
      if (attack.session !== "landed" || verdict.result !== "held") tell(verdict);
    }
    for (const verdict of await arena.land()) if (!verdicts.some(({ id }) => id === verdict.id)) tell(verdict);
  } finally {
    left = await arena.close();
    delete process.env["WARDER_CANARY"];
  }
  return { verdicts, left };
}
