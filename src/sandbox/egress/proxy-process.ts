import type { Socket } from "node:net";
import { createInterface } from "node:readline";
import { EGRESS_LIMITS } from "./limits.ts";
import { type Resolve, systemResolve } from "./pinned-address.ts";
import { type EgressMessage, type EgressOrder, SOCKET_NAME } from "./process-protocol.ts";
import { createProxy } from "./proxy.ts";

/** The egress proxy as a process of its own: started by start-egress.ts, for one session. */

const say = (message: EgressMessage): void => {
  process.stdout.write(`${JSON.stringify(message)}\n`);
};

// Ctrl-C at the terminal reaches the whole process group; when the session is over, its owner says so.
process.on("SIGINT", () => undefined);
process.on("SIGHUP", () => undefined);
// Nobody reads any more: the owner is gone.
process.stdout.on("error", () => process.exit(0));

const lines = createInterface({ input: process.stdin });
const sockets = new Set<Socket>();

lines.once("line", (line) => {
  const { allow, user, names } = JSON.parse(line) as EgressOrder;
  const resolve: Resolve = (host) => (Object.hasOwn(names, host) ? Promise.resolve(names[host] ?? []) : systemResolve(host));
  const server = createProxy({ allow, resolve, limits: EGRESS_LIMITS, onConnection: (record) => say({ kind: "connection", record }) });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  // The sandbox's user is another one; who may reach the socket is decided by its folder.
  server.listen({ path: SOCKET_NAME, readableAll: true, writableAll: true }, () => {
    if (user !== null) dropPrivileges(user);
    say({ kind: "ready" });
  });
  lines.once("close", () => {
    server.close();
    for (const socket of sockets) socket.destroy();
    // One turn later every connection has been recorded; what is written is flushed before the end.
    setTimeout(() => {
      process.stdout.write("", () => process.exit(0));
    }, 50);
  });
});

function dropPrivileges({ uid, gid }: { readonly uid: number; readonly gid: number }): void {
  process.setgroups?.([]);
  process.setgid?.(gid);
  process.setuid?.(uid);
  if (process.getuid?.() !== uid || process.geteuid?.() !== uid || process.getgid?.() !== gid) throw new Error("The egress proxy could not give up root.");
}
