import type { Policy } from "../policy.ts";

/** Whether the last step refuses something, which an ask rule before it would only ask about. */
export function hasDenyingBaseline({ autonomy, commands }: Policy): boolean {
  return autonomy === "read-only" || commands.blockHighRisk;
}

/** The file in which high risk is blocked, whose rules alone open it; null where it is not blocked. */
export function blockedIn({ commands, positions }: Policy): string | null {
  return commands.blockHighRisk ? (positions?.get("commands.block-high-risk")?.file ?? "") : null;
}

/** Whether commands reach no host at all, not even a registry. */
export function isOffline({ sandbox: { network } }: Policy): boolean {
  return network.allow.length === 0 && (network.registries ?? []).length === 0;
}

/** Whether medium risk may be decided more loosely than high risk was. */
export function tellsRiskApart(before: Policy, after: Policy): boolean {
  return before.commands.blockHighRisk || after.autonomy === "full";
}
