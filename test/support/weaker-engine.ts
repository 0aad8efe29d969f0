import { createServer, request, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { once } from "./until.ts";

type CreateOptions = { NetworkDisabled?: boolean; HostConfig: Record<string, unknown> & { Mounts?: Record<string, unknown>[] } };

export type WeakerEngine = { readonly dockerHost: string; close(): Promise<void> };

const REAL = (process.env["DOCKER_HOST"] ?? "unix:///var/run/docker.sock").replace(/^unix:\/\//u, "");

/**
 * The real engine behind a socket that changes what a container is created with: as an engine that does not know an option, or is set up to add one.
 * `weaken` is told how many containers there were before.
 */
export async function weakerEngine(socketPath: string, weaken: (options: CreateOptions, created: number) => void): Promise<WeakerEngine> {
  let created = 0;
  const forward = async (incoming: IncomingMessage): Promise<ReturnType<typeof request>> => {
    const { method, url = "", headers } = incoming;
    const outgoing = request({ socketPath: REAL, method, path: url.replace(/^(\S*\/containers\/create)\?.*$/u, "$1"), headers: { ...headers } });
    if (method !== "POST" || !/\/containers\/create(?:\?|$)/u.test(url)) {
      incoming.pipe(outgoing);
      return outgoing;
    }
    const options = JSON.parse(await text(incoming)) as CreateOptions;
    weaken(options, created);
    created += 1;
    const body = JSON.stringify(options);
    outgoing.setHeader("content-length", Buffer.byteLength(body));
    outgoing.end(body);
    return outgoing;
  };
  // As Go's servers: the client names a container's options in the address too.
  const server = createServer({ maxHeaderSize: 1024 * 1024 }, (incoming, answer) => {
    void forward(incoming).then((outgoing) => {
      outgoing.on("response", (response) => {
        answer.writeHead(response.statusCode ?? 500, response.headers);
        response.pipe(answer);
      });
      outgoing.on("error", () => answer.destroy());
    });
  });
  // A container's streams: from the first byte on no HTTP any more.
  server.on("upgrade", (incoming, socket, head) => {
    const lines = [`${incoming.method ?? ""} ${incoming.url ?? ""} HTTP/1.1`];
    for (let at = 0; at < incoming.rawHeaders.length; at += 2) lines.push(`${incoming.rawHeaders[at] ?? ""}: ${incoming.rawHeaders[at + 1] ?? ""}`);
    const real = connect(REAL, () => {
      real.write(`${lines.join("\r\n")}\r\n\r\n`);
      real.write(head);
      socket.pipe(real).pipe(socket);
    });
    real.on("error", () => socket.destroy());
    socket.on("error", () => real.destroy());
  });
  server.listen(socketPath);
  await once(server, "listening");
  return {
    dockerHost: `unix://${socketPath}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
