import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import { Connection, type ConnectionEnd, shownHost, shownRequest } from "../traffic/connection-record.ts";
import { decoderOf } from "./decompress.ts";
import { headBytes, readOrigin } from "./exchange.ts";
import { forwardedHeaders } from "./headers.ts";
import { addressOf, doorOf, isJudged } from "./door.ts";
import { ByteLimit, limitBytes } from "../traffic/byte-limit.ts";
import type { ProxySetting } from "./setting.ts";
import { refuseRaw } from "../refusal.ts";
import { type Ends, splice } from "./relay.ts";
import { authorityOf } from "../hosts/target.ts";
import type { Refusal } from "../refusal.ts";
import type { Within } from "./tunnel.ts";
import { connectTo } from "./connect.ts";

const { request: startRequest } = process.getBuiltinModule("node:http");

/** Whether a request asks for the one protocol that may follow HTTP. */
export function wantsWebSocket(request: IncomingMessage): boolean {
  return request.headers.upgrade?.toLowerCase() === "websocket";
}

type Asking = { readonly request: IncomingMessage; readonly client: Socket; /** What came behind the request. */ readonly head: Buffer };

/**
 * A WebSocket over plain HTTP, within CONNECT. Only to a host where no request is judged: what follows is not HTTP, and nobody reads it.
 */
export async function upgrade({ request, client, head }: Asking, setting: ProxySetting, tunnel: Within | undefined): Promise<void> {
  const wanted = tunnel === undefined ? null : readOrigin(request, tunnel.target);
  const connection = new Connection("http", wanted?.target ?? { host: shownHost(request.headers.host ?? ""), port: null }, setting.onConnection);
  connection.request = shownRequest(request.method ?? "", request.url ?? "");
  const deny = (refusal: Refusal): void => {
    connection.end("deny", refusal);
    refuseRaw(client, refusal);
  };
  client.on("error", () => client.destroy());
  if (wanted === null) return deny("bad-request");
  const { target, path } = wanted;
  const door = doorOf(target, setting);
  if (typeof door !== "string") return deny(door.refusal);
  if (isJudged(target, setting) || !wantsWebSocket(request)) return deny("upgrade-not-allowed");
  const flow = setting.traffic.begin(target.host);
  if (typeof flow === "string") return deny(flow);
  try {
    if (!flow.takes("bytesUp", headBytes({ method: request.method ?? "", path, rawHeaders: request.rawHeaders }))) return deny("bytes-spent");
    const pinned = await addressOf(target, setting);
    if ("refusal" in pinned) return deny(pinned.refusal);
    connection.address = pinned.address;
    const server = await connectTo(pinned.address, target.port, setting.limits.connectMs);
    if (server === null) {
      client.destroy();
      return connection.end("allow", "unreachable");
    }
    // As in forward.ts.
    if (client.destroyed || setting.traffic.isHalted) {
      server.destroy();
      return connection.end("allow", "broken");
    }
    connection.end("allow", await converse(request, { client, server, head, flow }, connection, { setting, path, authority: authorityOf(target, false) }));
  } finally {
    flow.end();
  }
}

type Asked = { readonly setting: ProxySetting; readonly path: string; readonly authority: string };

async function converse(request: IncomingMessage, ends: Ends, connection: Connection, { setting, path, authority }: Asked): Promise<ConnectionEnd> {
  const { client, server, flow } = ends;
  const kept = forwardedHeaders(request.rawHeaders, ["host", "expect", "content-length"]);
  const outgoing = startRequest({
    createConnection: () => server,
    method: request.method ?? "GET",
    path,
    setHost: false,
    maxHeaderSize: setting.limits.headerBytes,
    headers: [...kept, ["Host", authority] as const, ...SWITCH].flat(),
  });
  outgoing.setTimeout(setting.limits.headMs, () => outgoing.destroy(new Error("idle")));
  const { promise, resolve } = Promise.withResolvers<{ readonly answer: IncomingMessage; readonly head: Buffer | null } | null>();
  outgoing.once("upgrade", (answer, _socket, first: Buffer) => {
    resolve({ answer, head: first });
  });
  outgoing.once("response", (answer) => {
    resolve({ answer, head: null });
  });
  outgoing.on("error", () => {
    resolve(null);
  });
  outgoing.end();
  const answered = await promise;
  if (answered === null) {
    client.destroy();
    return "broken";
  }
  const { answer, head } = answered;
  if (head === null) return await passRefusal(answer, { client, flow, connection }, setting);
  // What follows is not read; what the server says before is, as every answer is.
  writeHead(client, answer, [...forwardedHeaders(answer.rawHeaders), ...SWITCH], setting);
  server.setTimeout(0);
  server.unshift(head);
  return await splice(ends, connection, setting);
}

function writeHead(client: Socket, { statusCode, statusMessage }: IncomingMessage, headers: Headers, { termination }: ProxySetting): void {
  const clean = (text: string): string => termination?.redactor?.text(text) ?? text;
  const status = `HTTP/1.1 ${String(statusCode ?? 502)} ${clean(statusMessage ?? "")}`;
  const lines = headers.filter(([name]) => clean(name) === name).map(([name, value]) => `${name}: ${clean(value)}`);
  client.write([status, ...lines, "", ""].join("\r\n"), "latin1");
}

/** Passes on what a server answers that wants no WebSocket, without what the session's secrets could be read from, as forward.ts does. */
async function passRefusal(
  answer: IncomingMessage,
  { client, flow, connection }: Pick<Ends, "client" | "flow"> & { readonly connection: Connection },
  setting: ProxySetting,
): Promise<ConnectionEnd> {
  const redactor = setting.termination?.redactor ?? null;
  const decoder = redactor === null ? null : decoderOf(answer);
  if (decoder === "unknown") {
    client.destroy();
    return "encoding-unknown";
  }
  const dropped = redactor === null ? [] : ["content-length", "content-encoding"];
  writeHead(client, answer, [...forwardedHeaders(answer.rawHeaders, dropped), ["Connection", "close"]], setting);
  const counted = limitBytes((bytes) => connection.takes("bytesDown", bytes, setting.limits.bytesDown) && flow.takes("bytesDown", bytes));
  const signal = AbortSignal.timeout(setting.limits.totalMs);
  return await pipeline([answer, decoder ?? [], counted, redactor?.stream() ?? [], client].flat(), { signal }).then(
    () => "closed" as const,
    (error: unknown) => (signal.aborted ? "time-limit" : error instanceof ByteLimit ? "byte-limit" : "broken"),
  );
}

type Headers = readonly (readonly [string, string])[];

const SWITCH: readonly (readonly [string, string])[] = [
  ["Connection", "Upgrade"],
  ["Upgrade", "websocket"],
];
