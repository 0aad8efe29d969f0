import { hostMatches } from "../../../policy/matching/hosts.ts";
import { pinnedAddress } from "../hosts/resolve.ts";
import { judgeTarget, type Target } from "../hosts/target.ts";
import type { Refusal } from "../refusal.ts";
import { originsAt } from "../registries/origin.ts";
import { isGuarded } from "./judge-request.ts";
import type { ProxySetting } from "./setting.ts";

type DoorSetting = Pick<ProxySetting, "network" | "registries" | "resolve">;

/** By what a target is open: `host`, the policy lists it; `registry`, a registry answers there, and nothing else is asked of it. Or why it is not. */
export function doorOf(target: Target, { network, registries }: DoorSetting): "host" | "registry" | { readonly refusal: Refusal } {
  const refusal = judgeTarget(target, network.allow);
  if (refusal === null) return "host";
  return originsAt(registries.origins, target).length > 0 ? "registry" : { refusal };
}

/** Whether requests to an open target are judged by more than its host and port, so that TLS to it must end here. */
export function isJudged(target: Target, setting: DoorSetting): boolean {
  return doorOf(target, setting) !== "host" || isGuarded(setting.network, target);
}

/** The one address that a connection to an open target is made to. A registry's may be a private one: the very one that it had for Warder. */
export async function addressOf(target: Target, setting: DoorSetting): Promise<{ readonly address: string } | { readonly refusal: Refusal }> {
  if (doorOf(target, setting) === "host") return await pinnedAddress(target, setting.network.allow, setting.resolve);
  const addresses = originsAt(setting.registries.origins, target).flatMap((origin) => origin.addresses);
  const listed = addresses.map((address) => `${address}:${String(target.port)}`);
  return await pinnedAddress(
    target,
    listed.filter((entry) => hostMatches(entry, entry.slice(0, entry.lastIndexOf(":")), target.port)),
    setting.resolve,
  );
}
