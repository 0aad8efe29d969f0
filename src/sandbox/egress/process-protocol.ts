import type { ConnectionRecord } from "./connection-record.ts";

/** What the proxy's process is told: the first line of its standard input, as JSON. The end of the input ends it. */
export type EgressOrder = {
  readonly allow: readonly string[];
  /** Whom it becomes once it listens; null when it is nobody's root. */
  readonly user: { readonly uid: number; readonly gid: number } | null;
  /** Answers that are given instead of asking DNS, as `/etc/hosts` would. They are checked like DNS's. */
  readonly names: Readonly<Record<string, readonly string[]>>;
};

/** What it says: one JSON object a line on its standard output. */
export type EgressMessage = { readonly kind: "ready" } | { readonly kind: "connection"; readonly record: ConnectionRecord };

/** The socket's name in the working directory of the process: a path of its own could be longer than a socket's may be. */
export const SOCKET_NAME = "proxy.sock";
