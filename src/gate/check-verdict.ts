import type { Decision, Risk, Verdict } from "../policy/decision.ts";
import type { CallRequest } from "../policy/request.ts";
import { describeCall } from "./ruling/describe-call.ts";
import type { Measured } from "./facts/measure.ts";

/** The answer of `warder check`: plain data, one JSON object a line. */
export type CheckVerdict = {
  readonly decision: Verdict;
  readonly risk: Risk;
  /** Every rule that spoke, the deciding one first, each with `file:line` where it stands in a policy. */
  readonly rules: readonly { readonly id: string; readonly verdict: Verdict; readonly reason: string; readonly at?: string }[];
  readonly reason: string;
  readonly instead?: string;
  readonly programs: readonly string[];
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly hosts: readonly string[];
  readonly undecidable: readonly string[];
  readonly measured: "session" | "host";
  readonly containment: "profile" | "none";
  /** Hooks that a run asks before such a call, and that may deny it; absent: there are none. */
  readonly hooks?: readonly string[];
};

/** A decision and what was analysed, as `warder check` prints it. Pure. */
export function checkVerdict(
  call: CallRequest,
  decision: Decision,
  circumstances: {
    readonly measured: Measured;
    readonly source: "session" | "host";
    readonly containment: "profile" | "none";
    readonly hooks: readonly string[];
  },
): CheckVerdict {
  const { programs, reads, writes, hosts, undecidable } = describeCall(call, circumstances.measured);
  return {
    decision: decision.verdict,
    risk: decision.risk,
    rules: decision.rules.map((rule) => ({
      id: rule.id,
      verdict: rule.verdict,
      reason: rule.reason,
      ...(rule.at === undefined ? {} : { at: `${rule.at.file}:${rule.at.line}` }),
    })),
    reason: decision.reason,
    ...(decision.instead === undefined ? {} : { instead: decision.instead }),
    programs,
    reads,
    writes,
    hosts,
    undecidable,
    measured: circumstances.source,
    containment: circumstances.containment,
    ...(circumstances.hooks.length === 0 ? {} : { hooks: circumstances.hooks }),
  };
}
