import type { Risk, RuleVoice, SourcePosition, Verdict } from "../decision.ts";
import type { Policy } from "../policy.ts";

const VERDICTS = {
  "read-only": { low: "allow", medium: "deny", high: "deny" },
  supervised: { low: "allow", medium: "ask", high: "ask" },
  full: { low: "allow", medium: "allow", high: "ask" },
} as const satisfies Record<string, Record<string, Verdict>>;

/** The verdict of the last step: autonomy by risk. `note`: why the risk is what it is, when that is not plain. */
export function baselineVoice({ autonomy, commands, positions }: Policy, risk: Risk, note: string | null): RuleVoice {
  const because = note === null ? "" : `: ${note}`;
  if (risk === "high" && commands.blockHighRisk) {
    return voice("block-high-risk", "deny", `The policy blocks what is high risk${because}.`, positions?.get("commands.block-high-risk"));
  }
  const verdict = VERDICTS[autonomy][risk];
  const words = { allow: "runs without a question", ask: "needs a person's word", deny: "is refused" }[verdict];
  return voice(`baseline-${autonomy}-${risk}`, verdict, `Under ${autonomy} autonomy what is ${risk} risk ${words}${because}.`, positions?.get("autonomy"));
}

function voice(id: string, verdict: Verdict, reason: string, at: SourcePosition | undefined): RuleVoice {
  return { id, step: "baseline", verdict, reason, ...(at === undefined ? {} : { at }) };
}
