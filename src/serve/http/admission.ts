import { timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { sha256 } from "../../base/digest.ts";

export const PATH = "/mcp";

export type Admission = {
  /** What a client may call this machine: `host:port`, in lower case. */
  readonly hosts: ReadonlySet<string>;
  readonly token: string;
};

export type Refusal = { readonly status: number; readonly problem: string; readonly headers?: Readonly<Record<string, string>> };

type Head = { readonly method?: string | undefined; readonly url?: string | undefined; readonly headers: IncomingHttpHeaders };

/** What is wrong with a request before any of its body is read, or null. */
export function refusalOf({ method, url, headers }: Head, { hosts, token }: Admission): Refusal | null {
  // A page whose name was pointed at this machine still sends its own name (DNS rebinding).
  if (!hosts.has((headers.host ?? "").toLowerCase())) return { status: 421, problem: "another host is meant" };
  // Of pages, none but one that came from here; and none comes from here.
  const site = headers["sec-fetch-site"];
  if (headers.origin !== undefined && !isOwn(headers.origin, hosts)) return { status: 403, problem: "no page of another origin is answered" };
  if (site !== undefined && site !== "none" && site !== "same-origin") return { status: 403, problem: "no page of another origin is answered" };
  if (!isBearer(headers.authorization, token))
    return { status: 401, problem: "send the token as bearer", headers: { "www-authenticate": 'Bearer realm="warder"' } };
  if ((url ?? "").split("?", 1)[0] !== PATH) return { status: 404, problem: `nothing is here; the server is at ${PATH}` };
  if (method !== "POST" && method !== "GET" && method !== "DELETE") return { status: 405, problem: "no such method", headers: { allow: "POST, GET, DELETE" } };
  if (method === "POST" && !/^application\/json(?:\s*;\s*charset=utf-8)?$/iu.test(headers["content-type"] ?? ""))
    return { status: 415, problem: "send application/json" };
  return headers["content-encoding"] === undefined ? null : { status: 415, problem: "send it as it is" };
}

function isOwn(origin: string, hosts: ReadonlySet<string>): boolean {
  const match = /^https?:\/\/(?<host>[^/]+)$/u.exec(origin.toLowerCase());
  return match?.groups?.["host"] !== undefined && hosts.has(match.groups["host"]);
}

/** Compared by digest, so that neither its length nor its beginning can be found out by the time it takes. */
function isBearer(authorization: string | undefined, token: string): boolean {
  const sent = /^Bearer (?<token>[\x21-\x7e]{1,4096})$/iu.exec(authorization ?? "")?.groups?.["token"];
  return sent !== undefined && timingSafeEqual(Buffer.from(sha256(sent)), Buffer.from(sha256(token)));
}
