import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import { Connection, shownHost } from "../traffic/connection-record.ts";
import { exchange } from "./exchange.ts";
import { limitHeads } from "./head-limit.ts";
import type { ProxySetting } from "./setting.ts";
import { refuse } from "../refusal.ts";
import type { Refusal } from "../refusal.ts";
import { tunnel, type Within } from "./tunnel.ts";
import { upgrade, wantsWebSocket } from "./websocket.ts";

const { createServer } = process.getBuiltinModule("node:http");

/**
 * The forward proxy that is a sandbox's only way out: absolute-form HTTP and CONNECT. The caller makes it listen. What is not allowed by
 * the list is refused; so is everything after `limits.records` connections.
 */
export function createProxy(setting: ProxySetting): Server {
  const { limits } = setting;
  let count = 0;
  const isSpent = (): boolean => {
    count += 1;
    if (count === limits.records + 1) new Connection("http", { host: "", port: null }, setting.onConnection).end("deny", "too-many-connections");
    return count > limits.records;
  };
  // Before a name is looked up: that would reach out too.
  const obstacle = (request: IncomingMessage): Refusal | null => {
    if (isSpent()) return "too-many-connections";
    if (!setting.traffic.isHalted) return null;
    const asked = { host: shownHost(request.method === "CONNECT" ? (request.url ?? "") : (request.headers.host ?? "")), port: null };
    new Connection(request.method === "CONNECT" ? "connect" : "http", asked, setting.onConnection).end("deny", "stop-switch");
    return "stop-switch";
  };
  const options = {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headMs,
    requestTimeout: limits.totalMs,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: Math.min(1000, limits.headMs),
    insecureHTTPParser: false,
  };
  const within = new WeakMap<Socket, Within>();
  // What asks for another protocol and is no WebSocket is a request like others: it is answered in HTTP.
  const inner = createServer({ ...options, shouldUpgradeCallback: wantsWebSocket }, (request, response) => {
    const tunnel = within.get(request.socket);
    const refusal = obstacle(request);
    if (refusal !== null) refuse(response, refusal);
    else if (tunnel === undefined) refuse(response, "bad-request");
    else exchange(request, response, setting, tunnel).catch(fault);
  });
  limitHeads(inner, limits);
  inner.on("upgrade", (request, socket, head) => {
    const client = socket as Socket;
    if (obstacle(request) !== null) client.destroy();
    else upgrade({ request, client, head }, setting, within.get(request.socket)).catch(fault);
  });
  const server = createServer(options, (request, response) => {
    const refusal = obstacle(request);
    if (refusal !== null) refuse(response, refusal);
    else exchange(request, response, setting, null).catch(fault);
  });
  // Sockets, not requests: a client may keep some idle. Those that are at work are counted by `traffic`.
  server.maxConnections = 4 * limits.connections;
  server.on("drop", () => {
    if (!isSpent()) new Connection("http", { host: "", port: null }, setting.onConnection).end("deny", "connection-limit");
  });
  server.on("connect", (request, socket, head) => {
    // On a server that listens on a socket, this is one (node:http, 'connect').
    const client = socket as Socket;
    if (obstacle(request) !== null) client.destroy();
    else tunnel(request, client, head, { ...setting, inner: { server: inner, within } }).catch(fault);
  });
  // One slow or malformed client is no concern of the others; without a listener Node answers 400 or 408 and closes.
  return server;
}

/** A fault of the proxy itself ends its process: no way out is better than one that nobody understands. */
function fault(error: unknown): never {
  throw error instanceof Error ? error : new Error("unknown fault");
}
