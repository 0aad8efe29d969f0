import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import { type FirstBytes, readFirstBytes } from "../tls/client-hello.ts";
import { Connection, shownHost } from "../traffic/connection-record.ts";
import type { ProxySetting } from "./setting.ts";
import { refuseRaw } from "../refusal.ts";
import { addressOf, doorOf, isJudged } from "./door.ts";
import { splice } from "./relay.ts";
import { parseAuthority, type Target } from "../hosts/target.ts";
import type { Refusal } from "../refusal.ts";
import { terminate } from "../tls/terminate.ts";
import { connectTo } from "./connect.ts";

/** What a connection to the inner server came through. */
export type Within = { readonly target: Target; /** It is TLS that the proxy ended. */ readonly isEncrypted: boolean };

export type TunnelSetting = ProxySetting & {
  /** Takes a connection that speaks HTTP: plain on another port than 443, or within TLS that the proxy ended. */
  readonly inner: { readonly server: Server; readonly within: WeakMap<Socket, Within> };
};

const ESTABLISHED = "HTTP/1.1 200 Connection Established\r\n\r\n";

/**
 * One CONNECT. TLS goes through as it is, once its ClientHello names the very host that was asked for; where requests are judged it ends
 * here. What speaks HTTP is handed to the inner server, which judges each request; nothing else goes through.
 */
export async function tunnel(request: IncomingMessage, client: Socket, head: Buffer, setting: TunnelSetting): Promise<void> {
  const target = parseAuthority(request.url ?? "", null);
  const connection = new Connection("connect", target ?? { host: shownHost(request.url ?? ""), port: null }, setting.onConnection);
  const deny = (refusal: Refusal, isEstablished = false): void => {
    connection.end("deny", refusal);
    if (isEstablished) client.destroy();
    else refuseRaw(client, refusal);
  };
  // Without it an error of the client's socket before the tunnel stands would end the process.
  client.on("error", () => client.destroy());
  if (target === null) return deny("bad-host");
  const door = doorOf(target, setting);
  if (typeof door !== "string") return deny(door.refusal);
  // Before the name is looked up: that reaches out, too.
  const flow = setting.traffic.begin(target.host);
  if (typeof flow === "string") return deny(flow);
  try {
    if (!flow.takes("bytesUp", target.host.length)) return deny("bytes-spent");
    const pinned = await addressOf(target, setting);
    if ("refusal" in pinned) return deny(pinned.refusal);
    connection.address = pinned.address;
    // The client speaks first, and only then: no server hears of a connection that nobody can vouch for.
    client.write(ESTABLISHED);
    const first = await firstBytes(client, head, setting.limits.headMs);
    const fault = helloFault(first.found, target);
    const isPlain = fault === "not-tls" && target.port !== 443;
    if (fault !== null && !isPlain) return deny(fault, true);
    if (isPlain || isJudged(target, setting)) {
      // Each request in it has a record of its own, and is counted by itself.
      connection.end("allow", "closed");
      flow.withdraw();
      return await handOver(client, first.bytes, { target, isEncrypted: !isPlain }, setting);
    }
    const server = await connectTo(pinned.address, target.port, setting.limits.connectMs);
    if (server === null) client.destroy();
    connection.end("allow", server === null ? "unreachable" : await splice({ client, server, head: first.bytes, flow }, connection, setting));
  } finally {
    flow.end();
  }
}

/** Gives a client to the inner server, its TLS ended. */
async function handOver(client: Socket, bytes: Buffer, within: Within, setting: TunnelSetting): Promise<void> {
  client.unshift(bytes);
  const socket = within.isEncrypted ? await terminate(client, within.target, setting) : client;
  if (socket === null) return;
  setting.inner.within.set(socket, within);
  setting.inner.server.emit("connection", socket);
  socket.resume();
}

function helloFault(first: FirstBytes, { host }: Target): Refusal | null {
  if (first.kind === "not-tls") return "not-tls";
  if (first.kind !== "hello") return "bad-hello";
  if (first.isEncrypted) return "encrypted-hello";
  // An address is no server name (RFC 6066, 3).
  const isAddress = /^[0-9.]+$/u.test(host);
  if (first.serverName === null) return isAddress ? null : "no-server-name";
  return first.serverName.toLowerCase() === host ? null : "server-name-mismatch";
}

/** Reads until the first bytes can be named, for a limited time. Nothing of what was read is lost. */
async function firstBytes(client: Socket, head: Buffer, timeoutMs: number): Promise<{ readonly bytes: Buffer; readonly found: FirstBytes }> {
  let bytes = head;
  let found = readFirstBytes(bytes);
  if (found.kind !== "incomplete") return { bytes, found };
  const { promise, resolve } = Promise.withResolvers<void>();
  const onData = (part: Buffer): void => {
    bytes = Buffer.concat([bytes, part]);
    found = readFirstBytes(bytes);
    if (found.kind !== "incomplete") resolve();
  };
  const timer = setTimeout(resolve, timeoutMs);
  client.on("data", onData).once("end", resolve).once("close", resolve);
  await promise;
  clearTimeout(timer);
  client.pause();
  client.off("data", onData).off("end", resolve).off("close", resolve);
  return { bytes, found };
}
