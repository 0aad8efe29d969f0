import { once } from "node:events";
import type { Server, Socket } from "node:net";
import { createInterface } from "node:readline";
import { limitsUnder } from "./traffic/limits.ts";
import { type Resolve, systemResolve } from "./hosts/resolve.ts";
import { BROWSER_FOLDER, type EgressMessage, type EgressOrder, type HaltOrder, SOCKET_NAME, type UseAnswer } from "./protocol.ts";
import { missingOf, NamesBudget } from "./registries/names.ts";
import { dropPrivileges } from "../own-process/drop-privileges.ts";
import { createProxy } from "./proxy/server.ts";
import type { ProxySetting } from "./proxy/setting.ts";
import { withoutCredentials } from "./secrets/credential.ts";
import type { CredentialUse } from "./secrets/credential.ts";
import { terminationFor } from "./tls/termination.ts";
import { Traffic } from "./traffic/quotas.ts";

/** The egress proxy as a process of its own. `start.ts` starts one for each session. */

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

/** Uses that wait for the owner's answer, by their number. */
const waiting = new Map<number, (isGranted: boolean) => void>();
let uses = 0;

function askUse(use: CredentialUse): Promise<boolean> {
  uses += 1;
  const number = uses;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  waiting.set(number, resolve);
  say({ kind: "use", number, use });
  return promise;
}

function answerUse({ use, isGranted }: UseAnswer): void {
  waiting.get(use)?.(isGranted);
  waiting.delete(use);
}

/** From here on nothing begins, and what is under way is cut; or it goes on. */
function halt(traffic: Traffic, isHalted: boolean): void {
  traffic.isHalted = isHalted;
  if (isHalted) for (const socket of sockets) socket.destroy();
}

lines.once("line", (line) => {
  const order = JSON.parse(line) as EgressOrder;
  const limits = order.network.limits ?? {};
  const traffic = new Traffic({ ...limits, run: { connections: limitsUnder(limits).connections, ...limits.run } }, order.spent);
  traffic.isHalted = order.isHalted;
  lines.on("line", (next) => {
    const said = JSON.parse(next) as UseAnswer | HaltOrder;
    if ("isHalted" in said) halt(traffic, said.isHalted);
    else answerUse(said);
  });
  // A fault ends the process: no way out is better than one that nobody understands.
  void serve(order, traffic);
});

async function serve(order: EgressOrder, traffic: Traffic): Promise<void> {
  const { network, user, names: given } = order;
  const resolve: Resolve = (host) => (Object.hasOwn(given, host) ? Promise.resolve(given[host] ?? []) : systemResolve(host));
  const termination = await terminationFor(order, askUse);
  const limits = network.limits ?? {};
  const names = new NamesBudget(missingOf(order.spent));
  const setting: ProxySetting = {
    network,
    resolve,
    registries: { origins: order.origins, names },
    limits: limitsUnder(limits, order.spent),
    traffic,
    onConnection: (record) => say({ kind: "connection", record }),
    termination,
  };
  const doors = [await listen(setting, SOCKET_NAME)];
  // What a page asks for nobody ruled on: it gets nothing that is a person's.
  const ofBrowser: ProxySetting = { ...setting, network: withoutCredentials(network), registries: { origins: [], names } };
  if (order.hasBrowserDoor) doors.push(await listen(ofBrowser, `${BROWSER_FOLDER}/${SOCKET_NAME}`));
  if (user !== null) dropPrivileges(user);
  say({ kind: "ready", authority: termination?.authority.certificate ?? null });
  lines.once("close", () => {
    for (const door of doors) door.close();
    for (const socket of sockets) socket.destroy();
    // One turn later every connection has been recorded; what is written is flushed before the end.
    setTimeout(() => {
      process.stdout.write("", () => process.exit(0));
    }, 50);
  });
}

/** The sandbox's user is another one; who may reach the socket is decided by its folder. */
async function listen(setting: ProxySetting, path: string): Promise<Server> {
  const server = createProxy(setting);
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.listen({ path, readableAll: true, writableAll: true });
  await once(server, "listening");
  return server;
}
