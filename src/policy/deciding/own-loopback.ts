import { hostMatches, isLoopback } from "../matching/hosts.ts";
import type { CompiledPolicy } from "./compiled-policy.ts";
import type { Facts } from "../facts.ts";
import type { UnitCase } from "./units.ts";

/**
 * Whether a command asks a server that another command started beside it: in the profile it has a network namespace of its own, so its loopback is nobody's
 * network. Not where the policy lists that address, which means the host's, nor for a tool of Warder's, which runs on the host.
 */
export function asksOwnLoopback({ unit, facts, policy }: { readonly unit: UnitCase; readonly facts: Facts; readonly policy: CompiledPolicy }): boolean {
  const { host, command } = unit;
  if (host?.kind !== "literal" || command === null || facts.containment !== "profile" || !isLoopback(host.host)) return false;
  return !policy.policy.sandbox.network.allow.some((pattern) => hostMatches(pattern, host.host));
}
