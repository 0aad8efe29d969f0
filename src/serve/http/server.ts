import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { isIPv6, type AddressInfo } from "node:net";
import { AgentError } from "../../base/errors.ts";
import { PATH, refusalOf, type Admission } from "./admission.ts";
import { bodyOf, send, webRequest } from "./exchange.ts";
import { createSessions, problem, type Sessions, type SessionsOptions } from "./sessions.ts";

const { createServer } = process.getBuiltinModule("node:http");

export type HttpAddress = { readonly host: string; readonly port: number };

export type HttpOptions = SessionsOptions & {
  readonly listen: HttpAddress;
  readonly token: string;
  /** What else a client may call this machine, without a port. */
  readonly names: readonly string[];
  /** How long the head of a request may take, and the whole of it. */
  readonly headMs?: number;
  readonly requestMs?: number;
};

export type HttpServer = { readonly url: string; close(why: string): Promise<void> };

/** Those that listen to the server's messages among them. */
const MAX_CONNECTIONS = 512;
/** Whoever sends a request byte by byte keeps nobody else out for long. */
const HEAD_MS = 5_000;
const REQUEST_MS = 30_000;
const CHECK_MS = 500;
const LOOPBACK_NAMES: readonly string[] = ["127.0.0.1", "localhost", "[::1]"];

/** Serves MCP at `/mcp`, for whoever has the token. Throws `bad-configuration` when the address cannot be listened on. */
export async function startHttpServer({ listen, token, names, headMs = HEAD_MS, requestMs = REQUEST_MS, ...options }: HttpOptions): Promise<HttpServer> {
  const server = createServer({
    headersTimeout: headMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: CHECK_MS,
    keepAliveTimeout: 5_000,
    maxHeaderSize: 16 * 1024,
  });
  server.maxConnections = MAX_CONNECTIONS;
  await listening(server, listen);
  const { port } = server.address() as AddressInfo;
  const host = bracketed(listen.host);
  const admission: Admission = { token, hosts: new Set([host, ...LOOPBACK_NAMES, ...names.map(bracketed)].map((name) => `${name}:${port}`.toLowerCase())) };
  const sessions = createSessions(options);
  server.on("request", (request, response) => void respond({ admission, sessions, say: options.say }, request, response));
  return {
    url: `http://${host}:${port}${PATH}`,
    close: async (why) => {
      const { promise, resolve } = Promise.withResolvers<undefined>();
      server.close(() => {
        resolve(undefined);
      });
      await sessions.end(why);
      server.closeAllConnections();
      await promise;
    },
  };
}

type Setting = { readonly admission: Admission; readonly sessions: Sessions; readonly say: (text: string) => void };

async function respond({ admission, sessions }: Setting, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) gone.abort();
  });
  try {
    const refused = refusalOf(request, admission);
    if (refused !== null) return refuse(response, refused.status, refused.problem, refused.headers);
    const body = await bodyOf(request);
    if (body.kind === "too-long") return refuse(response, 413, "a request is shorter");
    if (body.kind === "no-json") return await send(response, problem(400, -32_700, "the body is no JSON"), gone.signal);
    const answer = await sessions.answer(webRequest(request, gone.signal), body.kind === "json" ? body.value : undefined);
    await send(response, answer, gone.signal);
  } catch (error) {
    // The client went away, or what speaks the protocol failed at its request: of either it is told nothing more.
    void error;
    if (response.headersSent) response.destroy();
    else refuse(response, 500, "it was not answered");
  }
}

/** Of a request that is refused, the rest is not read. */
function refuse(response: ServerResponse, status: number, text: string, headers: Readonly<Record<string, string>> = {}): void {
  const body = `${JSON.stringify({ jsonrpc: "2.0", error: { code: -32_000, message: text }, id: null })}\n`;
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    connection: "close",
    ...headers,
  });
  response.end(body);
}

function bracketed(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}

async function listening(server: Server, { host, port }: HttpAddress): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  server.once("error", reject);
  server.listen({ host, port, exclusive: true }, () => {
    resolve(undefined);
  });
  try {
    await promise;
  } catch (error) {
    throw new AgentError(
      "bad-configuration",
      `MCP cannot be served at ${bracketed(host)}:${port}: ${error instanceof Error ? error.message : "unknown fault"}.`,
      {
        cause: error,
        remedy: "Choose another port with --http.",
      },
    );
  }
}
