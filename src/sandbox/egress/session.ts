import { hasNetwork } from "../../policy/matching/network-entries.ts";
import { NO_REGISTRIES, type RegistryAccess } from "./registries/origin.ts";
import type { NetworkSettings } from "../../policy/network.ts";
import type { OpenOptions } from "../runtime.ts";
import type { ConnectionRecord } from "./traffic/connection-record.ts";
import { type Egress, startEgress } from "./start.ts";
import type { SpentTraffic } from "./traffic/quotas.ts";

/** What the proxies of one run let through, one after the other, by host. It grows with each record. */
export type SessionTraffic = Map<string, SpentTraffic[string]>;

type Place = { readonly directory: string; readonly traffic: SessionTraffic; readonly registries?: RegistryAccess | undefined };

/** Opens a session's way out. No entry, no proxy: an empty list is no network, never an open one. Throws what `startEgress` throws. */
export async function openEgress(
  network: NetworkSettings,
  options: OpenOptions,
  { directory, traffic, registries = NO_REGISTRIES }: Place,
): Promise<Egress | null> {
  if (!hasNetwork(network)) return null;
  const { names = {}, onConnection, secrets, onCredentialUse, isNetworkStopped, trusted, browserImage } = options;
  return await startEgress({
    directory,
    network,
    origins: registries.origins,
    names: {
      // Asked once, as the session is opened: what the name leads to later is another's.
      ...Object.fromEntries(registries.origins.flatMap(({ host, addresses }) => (addresses.length === 0 ? [] : [[host, addresses]]))),
      ...Object.fromEntries(Object.entries(network.names ?? {}).map(([name, address]) => [name, [address]])),
      ...names,
    },
    spent: Object.fromEntries(traffic),
    onConnection: (record) => {
      addTraffic(traffic, record);
      onConnection?.(record);
    },
    ...(secrets === undefined ? {} : { secrets }),
    ...(onCredentialUse === undefined ? {} : { onCredentialUse }),
    ...(isNetworkStopped === undefined ? {} : { isHalted: isNetworkStopped }),
    ...(trusted === undefined ? {} : { trusted }),
    hasBrowserDoor: browserImage !== undefined,
  });
}

type Counted = Pick<ConnectionRecord, "host" | "bytesUp" | "bytesDown"> & { readonly reason: string; readonly request: { readonly path: string } | null };

export function addTraffic(traffic: SessionTraffic, { host, bytesUp, bytesDown, reason, request }: Counted): void {
  const before = traffic.get(host) ?? { bytesUp: 0, bytesDown: 0, records: 0 };
  const { missing } = before;
  const isMissing = reason === "not-found" || reason === "redirect-refused";
  const characters = host.length + (request?.path.length ?? 0);
  traffic.set(host, {
    bytesUp: before.bytesUp + bytesUp,
    bytesDown: before.bytesDown + bytesDown,
    records: before.records + 1,
    ...(isMissing ? { missing: { names: (missing?.names ?? 0) + 1, characters: (missing?.characters ?? 0) + characters } } : missing && { missing }),
  });
}
