import { randomBytes } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { hostname, release } from "node:os";
import { openEngine, ownImage } from "../../src/sandbox/docker/engine.ts";

/** The only container that it knows: an id of its own in each process, because by it processes are ended. */
export const CONTAINER = randomBytes(32).toString("hex");

/** As Go's servers: the client names a container's options in the address too. */
const MAX_HEAD_BYTES = 1024 * 1024;

/** What an engine answers to a client that opens a sandbox; starting a container fails. */
const ANSWERS: readonly (readonly [call: RegExp, status: number, body: () => unknown])[] = [
  [/^GET \/_ping$/u, 200, () => "OK"],
  [/^GET \/version$/u, 200, () => ({ Version: "20.10.24", ApiVersion: "1.41", Components: [] })],
  [/^GET \/info$/u, 200, () => ({ Name: hostname(), KernelVersion: release(), Runtimes: { runc: {}, runsc: {} } })],
  [/^GET \/images\//u, 200, () => ({ Id: ownImage(openEngine({})), Config: {} })],
  [/^GET \/containers\/json$/u, 200, () => [{ Id: CONTAINER, Labels: { "warder.owner": "nobody", "warder.run": "run-of-a-test" } }]],
  [/^GET \/volumes$/u, 200, () => ({ Volumes: null, Warnings: null })],
  // What a client asks for that is not root.
  [/^POST \/volumes\/create$/u, 201, () => ({ Name: "of-a-test" })],
  [/^DELETE \/volumes\//u, 204, () => null],
  [/^POST \/containers\/create$/u, 201, () => ({ Id: CONTAINER, Warnings: [] })],
  [/^POST \/containers\/[0-9a-f]+\/start$/u, 500, () => ({ message: "no such thing as a start" })],
  [/^GET \/containers\/[0-9a-f]+\/json$/u, 200, () => ({ Id: CONTAINER, State: { Status: "created" } })],
  [/^DELETE \/containers\//u, 204, () => null],
];

export type HangingEngine = {
  readonly dockerHost: string;
  /** The calls so far, as in "POST /containers/create". */
  readonly calls: readonly string[];
  close(): void;
};

/**
 * A server of Docker's API on a unix socket that never answers a call like one of `hangs`; `half` of an answer comes where the client shall
 * wait for the rest of it.
 */
export async function hangingEngine(
  socket: string,
  hangs: readonly RegExp[],
  {
    half = false,
    forgets = false,
    stumbles = null,
  }: {
    readonly half?: boolean;
    /** It knows nothing of a container that it could not start. */
    readonly forgets?: boolean;
    /** Fails with this cause each time that a call is the first of its kind, as Podman where a container is just ending. */
    readonly stumbles?: string | null;
  } = {},
): Promise<HangingEngine> {
  const calls: string[] = [];
  let isRemoved = false;
  const sockets = new Set<Socket>();
  const take = (method: string | undefined, url: string | undefined): { readonly call: string; readonly isHung: boolean } => {
    const call = `${method ?? ""} ${(url ?? "").replace(/\?.*$/u, "")}`;
    calls.push(call);
    return { call, isHung: hangs.some((pattern) => pattern.test(call)) };
  };
  const answer = (response: ServerResponse, call: string): void => {
    if (stumbles !== null && calls.indexOf(call) === calls.length - 1) {
      response.writeHead(500, { "Content-Type": "application/json" });
      return void response.end(JSON.stringify({ cause: stumbles, message: `the engine failed: ${stumbles}`, response: 500 }));
    }
    if (call === `DELETE /containers/${CONTAINER}`) isRemoved = true;
    const isForgotten = (forgets || isRemoved) && call === `GET /containers/${CONTAINER}/json`;
    const [, status, body] = isForgotten
      ? [null, 404, () => ({ message: "No such container" })]
      : (ANSWERS.find(([pattern]) => pattern.test(call)) ?? [null, 501, () => ({ message: `nobody expected ${call}` })]);
    const value = body();
    response.writeHead(status, { "Content-Type": "application/json" });
    response.end(value === null ? "" : JSON.stringify(value));
  };
  const server = createServer({ maxHeaderSize: MAX_HEAD_BYTES }, (request, response) => {
    request.resume();
    const { call, isHung } = take(request.method, request.url);
    if (!isHung) answer(response, call);
    else if (half) response.writeHead(200, { "Content-Type": "application/json" }).write("{");
  });
  server.on("connection", (connection) => void sockets.add(connection));
  server.on("upgrade", (request, connection: Socket) => {
    if (!take(request.method, request.url).isHung) connection.write("HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n");
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  return {
    dockerHost: `unix://${socket}`,
    calls,
    close: () => {
      for (const connection of sockets) connection.destroy();
      server.close();
    },
  };
}
