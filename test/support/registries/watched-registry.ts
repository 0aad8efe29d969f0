import { createServer as createTlsServer } from "node:https";
import { createServer, type AddressInfo, type Server } from "node:net";
import { makeCertificate } from "../certificate.ts";

export const REGISTRY = "packages.example.org";
export const STRANGER = "evil.example.org";

/** A registry of npm's that keeps whatever reaches it, and a stranger's server beside it on the same address, which wants to be reached. */
export type WatchedRegistry = AsyncDisposable & {
  readonly port: number;
  readonly strangerPort: number;
  readonly certificate: string;
  /** Each request with all that it says, and the server names of handshakes. */
  readonly reached: string[];
  /** Whatever came in at the stranger's, byte by byte; empty for a connection alone. */
  readonly leaked: string[];
};

/**
 * Has `there-0` to `there-99`, `lure`, whose tarball it says is at the stranger's, and `away-…`, which redirects there. `near-…` redirects to a name of its
 * own that it has not. Other names are 404.
 */
export async function watchRegistry(): Promise<WatchedRegistry> {
  const certificate = makeCertificate(REGISTRY);
  const reached: string[] = [];
  const leaked: string[] = [];
  const stranger = createServer((socket) => {
    leaked.push("");
    socket.on("data", (data) => leaked.push(data.toString("latin1")));
    socket.on("error", () => undefined);
  });
  await listen(stranger);
  const strangerPort = portOf(stranger);
  const at = `https://${STRANGER}:${String(strangerPort)}`;
  const server = createTlsServer({ key: certificate.key, cert: certificate.cert }, (request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { method = "", url = "", rawHeaders, rawTrailers } = request;
      reached.push(`${method} ${url} ${rawHeaders.join(" ")} ${rawTrailers.join(" ")} ${Buffer.concat(parts).toString("latin1")}`);
      const name = url.replace(/^\/npm\//u, "");
      if (name.startsWith("away-")) return response.writeHead(302, { location: `${at}/npm/${name}` }).end();
      if (name.startsWith("near-")) return response.writeHead(302, { location: `/npm/not-${name}` }).end();
      if (!/^(?:there-[0-9]{1,2}|lure)$/u.test(name)) return response.writeHead(404).end();
      const dist = { tarball: `${at}/npm/${name}/-/${name}-1.0.0.tgz`, shasum: "0".repeat(40) };
      const document = { name, "dist-tags": { latest: "1.0.0" }, versions: { "1.0.0": { name, version: "1.0.0", dist } } };
      return response.writeHead(200, { "content-type": "application/json", etag: '"one"' }).end(JSON.stringify(document));
    });
  });
  server.on("secureConnection", (socket) => reached.push(`handshake ${String(socket.servername)}`));
  await listen(server);
  return {
    port: portOf(server),
    strangerPort,
    certificate: certificate.cert,
    reached,
    leaked,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await Promise.all([server, stranger].map((each) => new Promise((resolve) => each.close(resolve))));
    },
  };
}

const listen = (server: Server): Promise<void> => new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));

const portOf = (server: Server): number => (server.address() as AddressInfo).port;
