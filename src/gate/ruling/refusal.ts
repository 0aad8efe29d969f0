import type { Decision } from "../../policy/decision.ts";

/** A decision that the gate itself makes, before or instead of the policy's. */
export function refusal(id: string, reason: string, instead?: string): Decision {
  const rule = { id, step: "hard-refusal", verdict: "deny", reason } as const;
  return { verdict: "deny", risk: "high", reason, ...(instead === undefined ? {} : { instead }), rules: [rule], units: [] };
}
