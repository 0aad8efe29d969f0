import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { EgressLimits } from "../traffic/limits.ts";

/**
 * Gives a client of a server that does not listen itself its time to send a request's head: Node.js looks after `headersTimeout` only where
 * a server listens (lib/_http_server.js, `setupConnectionsTracking`). After an answer the next head may take as long as a connection may be idle.
 */
export function limitHeads(server: Server, { headMs, idleMs }: Pick<EgressLimits, "headMs" | "idleMs">): void {
  const timers = new WeakMap<Socket, NodeJS.Timeout>();
  const arm = (socket: Socket, timeoutMs: number): void => {
    clearTimeout(timers.get(socket));
    const giveUp = (): void => void socket.end("HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n", () => socket.destroy());
    timers.set(socket, setTimeout(giveUp, timeoutMs));
  };
  server.on("connection", (socket: Socket) => {
    arm(socket, headMs);
    socket.once("close", () => {
      clearTimeout(timers.get(socket));
    });
  });
  const underWay = new WeakMap<Socket, number>();
  const count = (socket: Socket, change: number): number => {
    const requests = (underWay.get(socket) ?? 0) + change;
    underWay.set(socket, requests);
    return requests;
  };
  server.on("request", ({ socket }, response) => {
    clearTimeout(timers.get(socket));
    count(socket, 1);
    response.once("close", () => {
      // Others may have been pipelined behind it.
      if (count(socket, -1) === 0 && !socket.destroyed) arm(socket, idleMs);
    });
  });
  server.on("upgrade", ({ socket }) => {
    clearTimeout(timers.get(socket));
  });
}
