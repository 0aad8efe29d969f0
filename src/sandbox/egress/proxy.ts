import { createServer, type Server } from "node:http";
import type { Socket } from "node:net";
import { Connection } from "./connection-record.ts";
import { exchange } from "./exchange.ts";
import { type ProxySetting, refuse } from "./setting.ts";
import type { Target } from "./target.ts";
import { tunnel } from "./tunnel.ts";

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
  const options = {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headMs,
    requestTimeout: limits.totalMs,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: Math.min(1000, limits.headMs),
    insecureHTTPParser: false,
  };
  const targets = new WeakMap<Socket, Target>();
  const inner = createServer(options, (request, response) => {
    const target = targets.get(request.socket);
    if (isSpent()) refuse(response, "too-many-connections");
    else if (target === undefined) refuse(response, "bad-request");
    else exchange(request, response, setting, target).catch(fault);
  });
  const server = createServer(options, (request, response) => {
    if (isSpent()) refuse(response, "too-many-connections");
    else exchange(request, response, setting, null).catch(fault);
  });
  server.maxConnections = limits.connections;
  server.on("connect", (request, socket, head) => {
    // On a server that listens on a socket, this is one (node:http, 'connect').
    const client = socket as Socket;
    if (isSpent()) client.destroy();
    else tunnel(request, client, head, { ...setting, inner: { server: inner, targets } }).catch(fault);
  });
  // One slow or malformed client is no concern of the others; without a listener Node answers 400 or 408 and closes.
  return server;
}

/** A fault of the proxy itself ends its process: no way out is better than one that nobody understands. */
function fault(error: unknown): never {
  throw error instanceof Error ? error : new Error("unknown fault");
}
