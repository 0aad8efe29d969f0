import type { IncomingMessage, ServerResponse } from "node:http";
import { Connection, shownHost, shownRequest } from "../traffic/connection-record.ts";
import { forward } from "./forward.ts";
import { type AskedRequest, judgeRequest } from "./judge-request.ts";
import { pinnedAddress } from "../hosts/resolve.ts";
import type { ProxySetting } from "./setting.ts";
import { refuse } from "../refusal.ts";
import { judgeTarget, parseAuthority, type Target } from "../hosts/target.ts";
import type { Refusal } from "../refusal.ts";
import type { Within } from "./tunnel.ts";

/**
 * One request over plain HTTP, or within TLS that the proxy ended. Target and path come from the absolute form alone; it is written anew for
 * the server, so that what two readers could take for two requests reaches it as one. `tunnel`: the CONNECT that the request came
 * through; it then has the origin form.
 */
export async function exchange(incoming: IncomingMessage, response: ServerResponse, setting: ProxySetting, tunnel: Within | null): Promise<void> {
  const wanted = tunnel === null ? readAbsolute(incoming.url ?? "") : readOrigin(incoming, tunnel.target);
  const connection = new Connection("http", wanted?.target ?? { host: shownHost(incoming.url ?? ""), port: null }, setting.onConnection);
  const deny = (refusal: Refusal): void => {
    connection.end("deny", refusal);
    refuse(response, refusal);
  };
  if (wanted === null) return deny("bad-request");
  const { target } = wanted;
  const asked: AskedRequest = { ...wanted, method: incoming.method ?? "", rawHeaders: incoming.rawHeaders, isEncrypted: tunnel?.isEncrypted === true };
  connection.request = shownRequest(asked.method, asked.path);
  const refusal = judgeTarget(target, setting.network.allow);
  if (refusal !== null) return deny(refusal);
  const judged = judgeRequest(setting.network, asked);
  if ("refusal" in judged) return deny(judged.refusal);
  const flow = setting.traffic.begin(target.host);
  if (typeof flow === "string") return deny(flow);
  try {
    // Not what a record calls content, and yet a way to send it.
    if (!flow.takes("bytesUp", headBytes(asked))) return deny("bytes-spent");
    const pinned = await pinnedAddress(target, setting.network.allow, setting.resolve);
    if ("refusal" in pinned) return deny(pinned.refusal);
    connection.address = pinned.address;
    const outcome = await forward(incoming, response, { connection, flow, setting }, { ...asked, address: pinned.address, judged });
    if (outcome === "credential-refused") deny(outcome);
    else connection.end("allow", outcome);
  } finally {
    flow.end();
  }
}

/** Of a request's head, about as many as it has. */
export function headBytes({ method, path, rawHeaders }: Pick<AskedRequest, "method" | "path" | "rawHeaders">): number {
  return rawHeaders.reduce((sum, text) => sum + text.length + 2, method.length + path.length);
}

type Wanted = { readonly target: Target; readonly path: string };

/** `http://host[:port]/path`, in the very form that RFC 9112 gives it; no user name, no fragment. */
function readAbsolute(url: string): Wanted | null {
  const [, authority = "", path = ""] = /^http:\/\/([^/?#@\\]+)((?:[/?][\x21-\x22\x24-\x7e]*)?)$/iu.exec(url) ?? [];
  const target = parseAuthority(authority, 80);
  return target === null ? null : { target, path: path.startsWith("/") ? path : `/${path}` };
}

/** The origin form, of a request that came through a tunnel to the target. */
export function readOrigin(incoming: IncomingMessage, target: Target): Wanted | null {
  const path = incoming.url ?? "";
  const named = parseAuthority(incoming.headers.host ?? "", target.port);
  // One host is allowed and another served: the same door as a false server name.
  if (named === null || named.host !== target.host || !/^\/[\x21-\x22\x24-\x7e]*$/u.test(path)) return null;
  return { target, path };
}
