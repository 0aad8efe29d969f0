import { once } from "node:events";
import { closeSync, mkdirSync, chmodSync, openSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import type { BrowserOrder } from "./order.ts";

/** How one browser's driver is spoken to: a socket in a folder that its sandbox sees, for its first caller alone. */
export type Channel = {
  readonly directory: string;
  /** The driver's next line; null: it said nothing in time, too much, or is gone. */
  next(timeoutMs: number, signal: AbortSignal): Promise<string | null>;
  say(order: BrowserOrder): void;
  readonly close: () => void;
};

export const ORDERS_SOCKET = "orders.sock";

/** A tree and a picture within their bounds, as JSON. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

export async function openChannel(directory: string): Promise<Channel> {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { mode: 0o755 });
  // Whatever the umask.
  chmodSync(directory, 0o755);
  const server = createServer();
  await listenIn(directory, server);
  let driver: Socket | null = null;
  let parts: Buffer[] = [];
  let bytes = 0;
  const lines: string[] = [];
  let isOver = false;
  let wake = (): void => undefined;
  const end = (): void => {
    isOver = true;
    driver?.destroy();
    server.close();
    wake();
  };
  const take = (data: Buffer): void => {
    for (let rest = data; rest.length > 0;) {
      const at = rest.indexOf(0x0a);
      const part = at < 0 ? rest : rest.subarray(0, at);
      bytes += part.length;
      // What was not asked for is kept no more than what is too long.
      if (bytes > MAX_LINE_BYTES || lines.length > 1) return end();
      parts.push(part);
      if (at < 0) return;
      lines.push(Buffer.concat(parts).toString("utf8"));
      parts = [];
      bytes = 0;
      rest = rest.subarray(at + 1);
      wake();
    }
  };
  server.once("connection", (socket) => {
    driver = socket;
    server.close();
    socket.on("error", () => undefined);
    socket.on("close", end);
    socket.on("data", take);
  });
  server.maxConnections = 1;
  return {
    directory,
    next: async (timeoutMs, signal) => {
      const bound = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      const isWaiting = (): boolean => lines.length === 0 && !isOver && !bound.aborted;
      while (isWaiting()) {
        const { promise, resolve } = Promise.withResolvers<undefined>();
        wake = () => {
          resolve(undefined);
        };
        bound.addEventListener("abort", wake, { once: true });
        await promise;
        bound.removeEventListener("abort", wake);
      }
      return lines.shift() ?? null;
    },
    say: (order) => void driver?.write(`${JSON.stringify(order)}\n`),
    close: () => {
      end();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** By the folder: the path of the socket may be longer than one can be. */
async function listenIn(directory: string, server: Server): Promise<void> {
  const folder = openSync(directory, "r");
  try {
    server.listen({ path: `/proc/self/fd/${folder}/${ORDERS_SOCKET}`, readableAll: true, writableAll: true });
    await once(server, "listening");
  } finally {
    closeSync(folder);
  }
}
