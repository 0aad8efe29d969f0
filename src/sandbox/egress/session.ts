import type { NetworkSettings } from "../../policy/network.ts";
import type { OpenOptions } from "../runtime.ts";
import type { ConnectionRecord } from "./traffic/connection-record.ts";
import { type Egress, startEgress } from "./start.ts";
import type { SpentTraffic } from "./traffic/quotas.ts";

/** What the proxies of one run let through, one after the other, by host. It grows with each record. */
export type SessionTraffic = Map<string, SpentTraffic[string]>;

type Place = { readonly directory: string; readonly traffic: SessionTraffic };

/** Opens a session's way out. No entry, no proxy: an empty list is no network, never an open one. Throws what `startEgress` throws. */
export async function openEgress(network: NetworkSettings, options: OpenOptions, { directory, traffic }: Place): Promise<Egress | null> {
  if (network.allow.length === 0) return null;
  const { names = {}, onConnection, secrets, onCredentialUse, isNetworkStopped, trusted } = options;
  return await startEgress({
    directory,
    network,
    names: { ...Object.fromEntries(Object.entries(network.names ?? {}).map(([name, address]) => [name, [address]])), ...names },
    spent: Object.fromEntries(traffic),
    onConnection: (record) => {
      addTraffic(traffic, record);
      onConnection?.(record);
    },
    ...(secrets === undefined ? {} : { secrets }),
    ...(onCredentialUse === undefined ? {} : { onCredentialUse }),
    ...(isNetworkStopped === undefined ? {} : { isHalted: isNetworkStopped }),
    ...(trusted === undefined ? {} : { trusted }),
  });
}

export function addTraffic(traffic: SessionTraffic, { host, bytesUp, bytesDown }: Pick<ConnectionRecord, "host" | "bytesUp" | "bytesDown">): void {
  const before = traffic.get(host) ?? { bytesUp: 0, bytesDown: 0, records: 0 };
  traffic.set(host, { bytesUp: before.bytesUp + bytesUp, bytesDown: before.bytesDown + bytesDown, records: before.records + 1 });
}
