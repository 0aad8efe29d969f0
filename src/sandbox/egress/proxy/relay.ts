import type { Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import type { Connection, ConnectionEnd } from "../traffic/connection-record.ts";
import { ByteLimit, limitBytes } from "../traffic/byte-limit.ts";
import type { ProxySetting } from "./setting.ts";
import type { Flow } from "../traffic/quotas.ts";

/** The two sockets of a tunnel, and what the client has sent already. */
export type Ends = { readonly client: Socket; readonly server: Socket; readonly head: Buffer; readonly flow: Flow };

/** Passes bytes on in both directions until one side ends, or a limit does. */
export async function splice({ client, server, head, flow }: Ends, connection: Connection, { limits }: ProxySetting): Promise<ConnectionEnd> {
  let end: ConnectionEnd | null = null;
  const stop = (reason: ConnectionEnd): void => {
    end ??= reason;
    client.destroy();
    server.destroy();
  };
  const whole = setTimeout(() => {
    stop("time-limit");
  }, limits.totalMs);
  for (const socket of [client, server])
    socket.setTimeout(limits.idleMs, () => {
      stop("idle");
    });
  client.unshift(head);
  const fail = (error: unknown): void => {
    // One side hung up without a word, as programs do that have what they wanted.
    stop(error instanceof ByteLimit ? "byte-limit" : "closed");
  };
  await Promise.all([
    pipeline(
      client,
      limitBytes((bytes) => connection.takes("bytesUp", bytes, limits.bytesUp) && flow.takes("bytesUp", bytes)),
      server,
    ).catch(fail),
    pipeline(
      server,
      limitBytes((bytes) => connection.takes("bytesDown", bytes, limits.bytesDown) && flow.takes("bytesDown", bytes)),
      client,
    ).catch(fail),
  ]);
  clearTimeout(whole);
  client.destroy();
  server.destroy();
  return end ?? "closed";
}
