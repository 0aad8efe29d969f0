import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { afterEach } from "vitest";
import type { Credential, NetworkSettings } from "../../../src/policy/network.ts";
import { type Authority, createAuthority } from "../../../src/sandbox/egress/tls/authority.ts";
import type { ConnectionRecord } from "../../../src/sandbox/egress/traffic/connection-record.ts";
import { EGRESS_LIMITS, type EgressLimits } from "../../../src/sandbox/egress/traffic/limits.ts";
import { NamesBudget } from "../../../src/sandbox/egress/registries/names.ts";
import { createProxy } from "../../../src/sandbox/egress/proxy/server.ts";
import { createRedactor } from "../../../src/sandbox/egress/secrets/redactor.ts";
import type { CredentialUse } from "../../../src/sandbox/egress/secrets/credential.ts";
import { Traffic } from "../../../src/sandbox/egress/traffic/quotas.ts";
import { makeCertificate } from "../../support/certificate.ts";
import { listen, portOf } from "./local-servers.ts";

export const SECRET = "s3cret-Value/of+the=run";

/** Of `api.example.org`. */
export const CERTIFICATE = makeCertificate("api.example.org");

type Ports = { readonly port: number; readonly plainPort: number };

export type SceneOptions = {
  readonly answer: RequestListener;
  readonly network?: (ports: Ports) => Partial<Omit<NetworkSettings, "credentials">>;
  /** Changes of the one credential; null: there is none. */
  readonly credential?: Partial<Credential> | null;
  readonly limits?: Partial<EgressLimits>;
  readonly certificate?: { readonly key: string; readonly cert: string };
  readonly isTrusted?: boolean;
  readonly names?: Readonly<Record<string, readonly string[]>>;
  readonly onUse?: (use: CredentialUse) => boolean;
};

export type Scene = {
  /** Of the proxy's socket. */
  readonly path: string;
  readonly port: number;
  readonly plainPort: number;
  readonly server: TlsServer;
  readonly plain: Server;
  readonly authority: Authority;
  readonly traffic: Traffic;
  readonly records: ConnectionRecord[];
  readonly uses: CredentialUse[];
  /** Opens a tunnel and TLS in it. */
  readonly open: (options?: { authority?: string; servername?: string; ca?: string; alpn?: string[] }) => Promise<TLSSocket>;
  /** Sends bytes over TLS through CONNECT, and reads until the proxy closes. */
  readonly send: (bytes: string) => Promise<string>;
  /** `GET path` with these header lines. */
  readonly get: (path: string, ...headers: readonly string[]) => Promise<string>;
  /** Sends bytes to the proxy itself. */
  readonly sendPlain: (bytes: string) => Promise<string>;
  readonly close: () => void;
};

/** A real TLS server as `api.example.org`, a real HTTP server beside it, and the real proxy before them, all on loopback. */
export async function openScene(options: SceneOptions): Promise<Scene> {
  const certificate = options.certificate ?? makeCertificate("api.example.org");
  const server = createTlsServer(certificate, options.answer);
  const plain = createServer(options.answer);
  await Promise.all([listen(server), listen(plain)]);
  const port = portOf(server);
  const plainPort = portOf(plain);
  const credential: Credential = {
    id: "a-token",
    secret: { kind: "variable", name: "A_TOKEN" },
    host: "api.example.org",
    port,
    methods: ["GET", "POST", "HEAD"],
    paths: ["/v1/**"],
    header: { name: "authorization", value: "Bearer {secret}" },
    otherwise: "refuse",
    ...options.credential,
  };
  const network: NetworkSettings = {
    allow: [`api.example.org:${port}`, `other.example.org:${port}`, `api.example.org:${plainPort}`, `127.0.0.1:${port}`, `127.0.0.1:${plainPort}`],
    credentials: options.credential === null ? [] : [credential],
    ...options.network?.({ port, plainPort }),
  };
  const authority = createAuthority(["api.example.org", "*.example.net"]);
  const secrets = new Map(options.credential === null ? [] : [[credential.id, SECRET]]);
  const traffic = new Traffic(network.limits ?? {});
  const records: ConnectionRecord[] = [];
  const uses: CredentialUse[] = [];
  const proxy = createProxy({
    registries: { origins: [], names: new NamesBudget() },
    network,
    resolve: async (host) => options.names?.[host] ?? ["127.0.0.1"],
    limits: { ...EGRESS_LIMITS, ...options.limits },
    traffic,
    onConnection: (record) => records.push(record),
    termination: {
      authority,
      trusted: options.isTrusted === false ? [] : [certificate.cert],
      secrets,
      redactor: createRedactor(secrets),
      onUse: async (use) => {
        uses.push(use);
        return options.onUse?.(use) ?? true;
      },
    },
  });
  const folder = mkdtempSync(join(tmpdir(), "warder-proxy-"));
  const path = `${folder}/proxy.sock`;
  await new Promise<void>((done) => {
    proxy.listen(path, done);
  });
  const open: Scene["open"] = async ({
    authority: wanted = `api.example.org:${port}`,
    servername = "api.example.org",
    ca = authority.certificate,
    alpn = [],
  } = {}) => {
    const socket = connect(path);
    socket.write(`CONNECT ${wanted} HTTP/1.1\r\nHost: ${wanted}\r\n\r\n`);
    const answer = await new Promise<string>((resolve) => {
      socket.once("data", (data: Buffer) => {
        resolve(data.toString());
      });
    });
    if (!answer.startsWith("HTTP/1.1 200")) throw new Error(answer);
    const secure = connectTls({ socket, servername, ca, ALPNProtocols: alpn });
    await new Promise<void>((resolve, reject) => {
      secure.once("secureConnect", resolve);
      secure.once("error", reject);
      secure.once("close", () => {
        reject(new Error("closed"));
      });
    });
    return secure;
  };
  const send: Scene["send"] = async (bytes) => {
    const secure = await open();
    secure.write(bytes, "latin1");
    return await readAll(secure);
  };
  return {
    path,
    port,
    plainPort,
    server,
    plain,
    authority,
    traffic,
    records,
    uses,
    open,
    send,
    get: (target, ...headers) =>
      send(`GET ${target} HTTP/1.1\r\nHost: api.example.org:${port}\r\nConnection: close\r\n${headers.map((line) => `${line}\r\n`).join("")}\r\n`),
    sendPlain: (bytes) => {
      const socket = connect(path);
      socket.write(bytes, "latin1");
      return readAll(socket);
    },
    close: () => {
      for (const one of [server, plain]) {
        one.closeAllConnections();
        one.close();
      }
      proxy.closeAllConnections();
      proxy.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function readAll(socket: Socket): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let text = "";
  socket.on("data", (data: Buffer) => {
    text += data.toString("latin1");
  });
  socket.on("error", () => undefined);
  socket.on("close", () => {
    resolve(withoutChunks(text));
  });
  return promise;
}

/** The last answer's body as it was before it was sent in chunks. */
function withoutChunks(text: string): string {
  const [, head = "", chunked] = /^([\s\S]*transfer-encoding: chunked[\s\S]*?\r\n\r\n)([\s\S]*)$/iu.exec(text) ?? [];
  if (chunked === undefined) return text;
  let body = "";
  let rest = chunked;
  for (;;) {
    const [line, digits = ""] = /^([0-9a-f]+)\r\n/iu.exec(rest) ?? [""];
    const size = Number.parseInt(digits, 16);
    if (line === "" || size === 0) return head + body + (line === "" ? rest : rest.slice(line.length));
    body += rest.slice(line.length, line.length + size);
    rest = rest.slice(line.length + size + 2);
  }
}

export const refusalOf = (answer: string): string | undefined => /x-warder-refusal: ([a-z-]+)/iu.exec(answer)?.[1];

/** What a server was asked. */
export type Asked = Pick<IncomingMessage, "headers" | "rawHeaders" | "trailers"> & { readonly method: string; readonly url: string; readonly body: string };

export type OpenScene = (options?: Partial<SceneOptions> & { readonly reply?: RequestListener }) => Promise<Scene>;

/** Scenes for the tests of a file, closed after each; the server keeps what it was asked, and answers with `reply`, or `hello`. */
export function useScene(): { readonly open: OpenScene; readonly asked: () => readonly Asked[]; readonly current: () => Scene | null } {
  const scenes: Scene[] = [];
  let asked: Asked[] = [];
  afterEach(() => {
    for (const scene of scenes.splice(0)) scene.close();
    asked = [];
  });
  const answer =
    (reply: RequestListener | undefined): RequestListener =>
    (request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        const { method = "", url = "", headers, rawHeaders, trailers } = request;
        asked.push({ method, url, headers, rawHeaders, trailers, body: Buffer.concat(parts).toString() });
        if (reply === undefined) response.end(`hello ${url}`);
        else reply(request, response);
      });
    };
  return {
    open: async ({ reply, ...options } = {}) => {
      const scene = await openScene({ answer: answer(reply), certificate: CERTIFICATE, ...options });
      scenes.push(scene);
      return scene;
    },
    asked: () => asked,
    current: () => scenes.at(-1) ?? null,
  };
}
