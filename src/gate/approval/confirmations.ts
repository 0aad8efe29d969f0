import type { ApprovalCard } from "../../approvals/card.ts";
import type { Decision } from "../../policy/decision.ts";
import type { Policy } from "../../policy/policy.ts";

/** How many persons must say yes to a call with these effects, and whether with a one-time code. */
export function confirmationsOf(policy: Policy, narrowing: readonly Policy[], { units }: Decision): Pick<ApprovalCard, "needed" | "needsCode"> {
  const wanted = [policy, ...narrowing].flatMap(({ approvals }) => approvals ?? []);
  const kinds = units.map((unit) => unit.unit.kind);
  const counts = wanted.map(({ approvers }): Readonly<Partial<Record<string, number>>> => approvers);
  const codes = new Set<string>(wanted.flatMap((each) => each.codes));
  const needed = Math.max(1, ...kinds.flatMap((kind) => counts.map((count) => count[kind] ?? 1)));
  return { needed, needsCode: needed > 1 || kinds.some((kind) => codes.has(kind)) };
}
