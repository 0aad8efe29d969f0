import { request as startRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { Connection, type ConnectionEnd, shownHost } from "./connection-record.ts";
import { forwardedHeaders } from "./headers.ts";
import { ByteLimit, meter } from "./meter.ts";
import { pinnedAddress } from "./pinned-address.ts";
import { type ProxySetting, refuse } from "./setting.ts";
import { judgeTarget, parseAuthority, type Refusal, type Target } from "./target.ts";

type Wanted = { readonly target: Target; readonly authority: string; readonly path: string };

/**
 * One request over plain HTTP. Target and path come from the absolute form alone; it is written anew for the server, so that what
 * two readers could take for two requests reaches it as one. `tunnel`: the target of the CONNECT that the request came through; it then has the
 * origin form.
 */
export async function exchange(incoming: IncomingMessage, response: ServerResponse, setting: ProxySetting, tunnel: Target | null): Promise<void> {
  const wanted = tunnel === null ? readAbsolute(incoming.url ?? "") : readOrigin(incoming, tunnel);
  const connection = new Connection("http", wanted?.target ?? { host: shownHost(incoming.url ?? ""), port: null }, setting.onConnection);
  const deny = (refusal: Refusal): void => {
    connection.end("deny", refusal);
    refuse(response, refusal);
  };
  if (wanted === null) return deny("bad-request");
  const refusal = judgeTarget(wanted.target, setting.allow);
  if (refusal !== null) return deny(refusal);
  const pinned = await pinnedAddress(wanted.target, setting.allow, setting.resolve);
  if ("refusal" in pinned) return deny(pinned.refusal);
  connection.address = pinned.address;
  connection.end("allow", await forward(incoming, response, { wanted, connection, setting }));
}

/** `http://host[:port]/path`, in the very form that RFC 9112 gives it; no user name, no fragment. */
function readAbsolute(url: string): Wanted | null {
  const [, authority = "", path = ""] = /^http:\/\/([^/?#@\\]+)((?:[/?][\x21-\x22\x24-\x7e]*)?)$/iu.exec(url) ?? [];
  const target = parseAuthority(authority, 80);
  return target === null ? null : { target, authority: authorityOf(target), path: path.startsWith("/") ? path : `/${path}` };
}

function readOrigin(incoming: IncomingMessage, tunnel: Target): Wanted | null {
  const path = incoming.url ?? "";
  const named = parseAuthority(incoming.headers.host ?? "", 80);
  // One host is allowed and another served: the same door as a false server name.
  if (named === null || named.host !== tunnel.host || !/^\/[\x21-\x22\x24-\x7e]*$/u.test(path)) return null;
  return { target: tunnel, authority: authorityOf(tunnel), path };
}

function authorityOf({ host, port }: Target): string {
  return port === 80 ? host : `${host}:${String(port)}`;
}

type Forwarded = { readonly wanted: Wanted; readonly connection: Connection; readonly setting: ProxySetting };

async function forward(incoming: IncomingMessage, response: ServerResponse, { wanted, connection, setting }: Forwarded): Promise<ConnectionEnd> {
  const { limits } = setting;
  const { authority, path, target } = wanted;
  let end: ConnectionEnd | null = null;
  const outgoing = startRequest({
    host: connection.address ?? "",
    port: target.port,
    method: incoming.method ?? "GET",
    path,
    setHost: false,
    // A connection of its own: nothing that is left of one request is taken for the begin of another's answer.
    agent: false,
    maxHeaderSize: limits.headerBytes,
    headers: [...forwardedHeaders(incoming.rawHeaders, ["host", "expect"]), ["Host", authority], ["Connection", "close"], ...bodyFraming(incoming)].flat(),
  });
  const stop = (reason: ConnectionEnd): void => {
    end ??= reason;
    outgoing.destroy(new Error(reason));
  };
  const whole = setTimeout(() => {
    stop("time-limit");
  }, limits.totalMs);
  outgoing.setTimeout(limits.idleMs, () => {
    stop("idle");
  });
  response.once("close", () => {
    if (!response.writableFinished) stop("broken");
  });
  try {
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      outgoing.once("response", resolve);
      outgoing.on("error", reject);
    });
    const sent = sendBody(
      incoming,
      outgoing,
      meter(limits.bytesUp, (bytes) => (connection.bytesUp += bytes)),
    );
    // A server may answer before it has read everything; what then goes wrong with the rest is not the answer's failure.
    sent.catch((error: unknown) => {
      if (error instanceof ByteLimit) stop("byte-limit");
    });
    const answer = await answered;
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage ?? "", [...forwardedHeaders(answer.rawHeaders)].flat());
    await pipeline(
      answer,
      meter(limits.bytesDown, (bytes) => (connection.bytesDown += bytes)),
      response,
    );
    return end ?? "closed";
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (error instanceof ByteLimit) end = "byte-limit";
    if (response.headersSent) response.destroy();
    else {
      response.writeHead(502, { "content-type": "text/plain", connection: "close" });
      response.end("Warder's egress proxy: the server cannot be reached or did not answer in HTTP.\n");
    }
    return end ?? (outgoing.socket?.remoteAddress === undefined && connection.bytesDown === 0 ? "unreachable" : "broken");
  } finally {
    clearTimeout(whole);
    outgoing.destroy();
  }
}

/** Stated whenever there is a body, or its bytes would be the next request. */
function bodyFraming(incoming: IncomingMessage): readonly (readonly [string, string])[] {
  return incoming.headers["transfer-encoding"] === undefined ? [] : [["Transfer-Encoding", "chunked"]];
}

async function sendBody(incoming: IncomingMessage, outgoing: ReturnType<typeof startRequest>, meterUp: ReturnType<typeof meter>): Promise<void> {
  const { headers } = incoming;
  if (headers["transfer-encoding"] === undefined && headers["content-length"] === undefined) {
    outgoing.end();
    return;
  }
  await pipeline(incoming, meterUp, outgoing);
}
