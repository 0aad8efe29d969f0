import { type NetworkLimits, TRAFFIC_DEFAULTS } from "../../../policy/network.ts";
import type { SpentTraffic } from "./quotas.ts";

/** What one sandbox may take of the machine through its proxy. */
export type EgressLimits = {
  /** At once: what a package manager opens, several times over. */
  readonly connections: number;
  /** In the life of a run: each leaves a record, and a loop must not fill the audit log. */
  readonly records: number;
  readonly headerBytes: number;
  /** To send a request's head, a ClientHello: longer is a client that holds a slot on purpose. */
  readonly headMs: number;
  readonly connectMs: number;
  readonly idleMs: number;
  readonly totalMs: number;
  readonly bytesUp: number;
  readonly bytesDown: number;
};

export const EGRESS_LIMITS: EgressLimits = {
  connections: TRAFFIC_DEFAULTS.run.connections,
  records: 10_000,
  headerBytes: 16 * 1024,
  headMs: 10_000,
  connectMs: 15_000,
  idleMs: 120_000,
  totalMs: 30 * 60_000,
  ...TRAFFIC_DEFAULTS.connection,
};

/** The limits of one connection, and of the sockets, under a policy; of the records those that are left. */
export function limitsUnder({ connection, run }: NetworkLimits, spent: SpentTraffic = {}): EgressLimits {
  const { bytesUp, bytesDown, connections, records } = EGRESS_LIMITS;
  const begun = Object.values(spent).reduce((sum, host) => sum + host.records, 0);
  return {
    ...EGRESS_LIMITS,
    bytesUp: connection?.bytesUp ?? bytesUp,
    bytesDown: connection?.bytesDown ?? bytesDown,
    connections: run?.connections ?? connections,
    records: Math.max(0, records - begun),
  };
}
