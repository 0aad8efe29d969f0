import type { IncomingMessage, ServerResponse } from "node:http";
import { Connection, shownHost, shownRequest } from "../traffic/connection-record.ts";
import { addressOf, doorOf } from "./door.ts";
import { forward } from "./forward.ts";
import { type AskedRequest, judgeRequest, type JudgedRequest } from "./judge-request.ts";
import { judgeRegistryRequest } from "../registries/judge.ts";
import type { ProxySetting } from "./setting.ts";
import { refuse } from "../refusal.ts";
import { parseAuthority, type Target } from "../hosts/target.ts";
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
  const door = doorOf(target, setting);
  if (typeof door !== "string") return deny(door.refusal);
  const judged = door === "host" ? judgeRequest(setting.network, asked) : judgeForRegistry(setting, asked);
  if ("refusal" in judged) return deny(judged.refusal);
  const { registry } = judged;
  const { names } = setting.registries;
  if (registry !== undefined && !(await names.take(registry.name))) return deny("registry-names");
  let wasSent = false;
  const flow = setting.traffic.begin(target.host);
  try {
    if (typeof flow === "string") return deny(flow);
    // Not what a record calls content, and yet a way to send it.
    if (!flow.takes("bytesUp", headBytes(asked))) return deny("bytes-spent");
    const pinned = await addressOf(target, setting);
    if ("refusal" in pinned) return deny(pinned.refusal);
    connection.address = pinned.address;
    const outcome = await forward(incoming, response, { connection, flow, setting }, { ...asked, address: pinned.address, judged });
    wasSent = outcome !== "unreachable" && outcome !== "certificate-refused" && outcome !== "credential-refused";
    if (outcome === "credential-refused") deny(outcome);
    else connection.end("allow", outcome);
  } finally {
    if (typeof flow !== "string") flow.end();
    if (registry !== undefined) names.leave(registry.name, wasSent);
  }
}

function judgeForRegistry({ registries }: ProxySetting, asked: AskedRequest): JudgedRequest {
  const registry = judgeRegistryRequest(registries.origins, asked);
  if ("refusal" in registry) return registry;
  const { origin, path } = registry;
  const { credential } = origin;
  // Where files alone lie nobody signs in.
  if (credential === null || origin.base === null || !path.startsWith(origin.base)) return { path, credentials: [], reserved: ["authorization"], registry };
  const header = { name: "authorization", value: credential.form };
  return { path, credentials: [{ id: credential.id, header }], reserved: ["authorization"], registry };
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
