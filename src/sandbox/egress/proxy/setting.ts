import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ConnectionRecord } from "../traffic/connection-record.ts";
import type { EgressLimits } from "../traffic/limits.ts";
import type { NetworkSettings } from "../../../policy/network.ts";
import type { Authority } from "../tls/authority.ts";
import type { Redactor } from "../secrets/redactor.ts";
import type { Traffic } from "../traffic/quotas.ts";
import type { Resolve } from "../hosts/resolve.ts";
import type { Refusal } from "../hosts/target.ts";

/** What a proxy is told; it never changes. */
export type ProxySetting = {
  /** `sandbox.network` of the policy. */
  readonly network: NetworkSettings;
  readonly resolve: Resolve;
  readonly limits: EgressLimits;
  readonly traffic: Traffic;
  readonly onConnection: (record: ConnectionRecord) => void;
  /** Null where no request within TLS is judged. */
  readonly termination: Termination | null;
};

/** What it takes to speak for a host to the sandbox, and to the host with a credential. */
export type Termination = {
  readonly authority: Authority;
  /** PEM: whom a server's certificate may come from. */
  readonly trusted: readonly string[];
  /** Values, by the credential's id. */
  readonly secrets: ReadonlyMap<string, string>;
  /** Null when there are no secrets. */
  readonly redactor: Redactor | null;
  /** Asks that a use be counted and recorded; false: it must not happen. */
  readonly onUse: (use: CredentialUse) => Promise<boolean>;
};

/** A credential on its way into a request. */
export type CredentialUse = { readonly credential: string; readonly host: string; readonly port: number; readonly method: string; readonly path: string };

const REASONS: Readonly<Record<Refusal, string>> = {
  "bad-request": "the request is none that a proxy takes",
  "bad-host": "the host or port is malformed",
  "address-form": "an address must be written as four decimal numbers",
  "host-not-allowed": "the policy does not allow this host and port",
  "not-resolved": "the name has no address",
  "private-address": "the name leads to an address that is not public, or is this machine's own",
  "not-tls": "only TLS goes through CONNECT to port 443",
  "bad-hello": "the connection does not begin with a TLS ClientHello",
  "no-server-name": "the ClientHello names no server",
  "server-name-mismatch": "the ClientHello names another server than CONNECT",
  "encrypted-hello": "the ClientHello is encrypted",
  "path-form": "the path could be read as more than one",
  "method-override": "the request names another method, path or host beside its own",
  "request-not-allowed": "the policy does not allow this method and path on this host",
  "credential-needs-tls": "this host and port take a credential, which goes out over TLS alone",
  "credential-scope": "no credential of this host and port covers this method and path",
  "credential-refused": "the use of the credential was not granted: no action is left, or Warder was stopped",
  "upgrade-not-allowed": "only a WebSocket may follow HTTP, and only where no request is judged",
  "rate-limit": "the policy's requests of this minute are used up",
  "connection-limit": "the policy's connections at once are all in use",
  "bytes-spent": "the policy's bytes are used up",
  "too-many-connections": "the session has used up its connections",
  "stop-switch": "a person stopped the network",
};

function refusalText(refusal: Refusal): string {
  return `Warder's egress proxy refused: ${REASONS[refusal]} (${refusal}).\n`;
}

const TOO_MANY: ReadonlySet<Refusal> = new Set(["rate-limit", "connection-limit", "bytes-spent", "too-many-connections"]);

function statusOf(refusal: Refusal): number {
  if (refusal === "bad-request" || refusal === "bad-host" || refusal === "path-form" || refusal === "method-override") return 400;
  if (refusal === "not-resolved") return 502;
  return TOO_MANY.has(refusal) ? 429 : 403;
}

/** Answers with a refusal on a socket, and closes it. */
export function refuseRaw(client: Socket, refusal: Refusal): void {
  const body = refusalText(refusal);
  const head = [`HTTP/1.1 ${String(statusOf(refusal))} Refused`, "Content-Type: text/plain", `X-Warder-Refusal: ${refusal}`, "Connection: close"];
  client.end([...head, `Content-Length: ${String(body.length)}`, "", body].join("\r\n"));
}

/** Answers a request with a refusal and ends its connection: what else the client had sent is not read. */
export function refuse(response: ServerResponse, refusal: Refusal): void {
  response.writeHead(statusOf(refusal), { "content-type": "text/plain", connection: "close", "x-warder-refusal": refusal });
  response.end(refusalText(refusal));
}
