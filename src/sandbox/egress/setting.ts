import type { ServerResponse } from "node:http";
import type { ConnectionRecord } from "./connection-record.ts";
import type { EgressLimits } from "./limits.ts";
import type { Resolve } from "./pinned-address.ts";
import type { Refusal } from "./target.ts";

/** What a proxy is told; it never changes. */
export type ProxySetting = {
  /** `sandbox.network.allow` of the policy. */
  readonly allow: readonly string[];
  readonly resolve: Resolve;
  readonly limits: EgressLimits;
  readonly onConnection: (record: ConnectionRecord) => void;
};

const REASONS: Readonly<Record<Refusal, string>> = {
  "bad-request": "the request is none that a proxy takes",
  "bad-host": "the host or port is malformed",
  "address-form": "an address must be written as four decimal numbers",
  "host-not-allowed": "the policy does not allow this host and port",
  "not-resolved": "the name has no address",
  "private-address": "the name leads to an address that is not public",
  "not-tls": "only TLS goes through CONNECT to port 443",
  "bad-hello": "the connection does not begin with a TLS ClientHello",
  "no-server-name": "the ClientHello names no server",
  "server-name-mismatch": "the ClientHello names another server than CONNECT",
  "encrypted-hello": "the ClientHello is encrypted",
  "too-many-connections": "the session has used up its connections",
};

export function refusalText(refusal: Refusal): string {
  return `Warder's egress proxy refused: ${REASONS[refusal]} (${refusal}).\n`;
}

export function statusOf(refusal: Refusal): number {
  if (refusal === "bad-request" || refusal === "bad-host") return 400;
  if (refusal === "not-resolved") return 502;
  return refusal === "too-many-connections" ? 429 : 403;
}

/** Answers a request with a refusal and ends its connection: what else the client had sent is not read. */
export function refuse(response: ServerResponse, refusal: Refusal): void {
  response.writeHead(statusOf(refusal), { "content-type": "text/plain", connection: "close", "x-warder-refusal": refusal });
  response.end(refusalText(refusal));
}
