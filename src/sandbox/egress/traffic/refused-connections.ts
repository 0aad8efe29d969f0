import { reasonOf, type Refusal } from "../refusal.ts";
import type { ConnectionRecord } from "./connection-record.ts";

/** A host that the egress proxy refused to a command, and why. */
export type RefusedConnection = { /** `host:port`, or what the client wrote. */ readonly target: string; readonly code: Refusal; readonly reason: string };

/** So many different ones are told of one command; a client may try many. */
const MAX_TOLD = 8;

/** Listens to a session's connections; `take` gives the refused ones since it was last called, each once. */
export function hearRefusals<Options extends { readonly onConnection?: (record: ConnectionRecord) => void }>(
  options: Options,
): { readonly options: Options; readonly take: () => readonly RefusedConnection[] } {
  const heard = new Map<string, RefusedConnection>();
  const onConnection = (record: ConnectionRecord): void => {
    const refused = refusedOf(record);
    if (refused !== null && heard.size < MAX_TOLD) heard.set(`${refused.target} ${refused.code}`, refused);
    options.onConnection?.(record);
  };
  const take = (): readonly RefusedConnection[] => {
    const all = [...heard.values()];
    heard.clear();
    return all;
  };
  return { options: { ...options, onConnection }, take };
}

function refusedOf({ decision, host, port, reason }: ConnectionRecord): RefusedConnection | null {
  const told = decision === "deny" ? reasonOf(reason) : null;
  return told === null ? null : { target: port === null ? host : `${host}:${String(port)}`, ...told };
}
