import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Why something was refused. Stable: it stands in the audit log and in what the client is told. */
export type Refusal =
  | "bad-request"
  | "bad-host"
  | "address-form"
  | "host-not-allowed"
  | "not-resolved"
  | "private-address"
  | "not-tls"
  | "bad-hello"
  | "no-server-name"
  | "server-name-mismatch"
  | "encrypted-hello"
  | "path-form"
  | "method-override"
  | "unknown-header"
  | "request-not-allowed"
  | "credential-needs-tls"
  | "credential-scope"
  | "credential-refused"
  | "registry-request"
  | "registry-names"
  | "upgrade-not-allowed"
  | "rate-limit"
  | "connection-limit"
  | "bytes-spent"
  | "too-many-connections"
  | "stop-switch";

/** Its name stands before every refusal; of a server it goes no further. */
export const REFUSAL_HEADER = "x-warder-refusal";

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
  "unknown-header": "the request has a header that is not known to leave its method, path and host as they are",
  "request-not-allowed": "the policy does not allow this method and path on this host",
  "credential-needs-tls": "this host and port take a credential, which goes out over TLS alone",
  "credential-scope": "no credential of this host and port covers this method and path",
  "credential-refused": "the use of the credential was not granted: no action is left, or Warder was stopped",
  "registry-request": "a registry is read from: GET or HEAD of a package's metadata or archive by its plain path, without a query or a body",
  "registry-names": "this run asked its registries for too many names that they did not show to have",
  "upgrade-not-allowed": "only a WebSocket may follow HTTP, and only where no request is judged",
  "rate-limit": "the policy's requests of this minute are used up",
  "connection-limit": "the policy's connections at once are all in use",
  "bytes-spent": "the policy's bytes are used up",
  "too-many-connections": "the session has used up its connections",
  "stop-switch": "a person stopped the network",
};

/** A refusal, and what it says of itself; null for another word. */
export function reasonOf(word: string): { readonly code: Refusal; readonly reason: string } | null {
  return Object.hasOwn(REASONS, word) ? { code: word as Refusal, reason: REASONS[word as Refusal] } : null;
}

function refusalText(refusal: Refusal): string {
  return `Warder's egress proxy refused: ${REASONS[refusal]} (${refusal}).\n`;
}

const TOO_MANY: ReadonlySet<Refusal> = new Set(["rate-limit", "connection-limit", "bytes-spent", "registry-names", "too-many-connections"]);

function statusOf(refusal: Refusal): number {
  if (refusal === "bad-request" || refusal === "bad-host" || refusal === "path-form" || refusal === "method-override" || refusal === "unknown-header")
    return 400;
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
  response.writeHead(statusOf(refusal), { "content-type": "text/plain", connection: "close", [REFUSAL_HEADER]: refusal });
  response.end(refusalText(refusal));
}
