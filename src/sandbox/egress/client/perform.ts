import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import type { IncomingMessage, RequestOptions } from "node:http";
import { X509Certificate } from "node:crypto";
import { connect, isIP, type Socket } from "node:net";
import tls, { connect as connectTls, TLSSocket } from "node:tls";
import { SOCKET_NAME } from "../protocol.ts";
import { decoderOf } from "../proxy/decompress.ts";
import { reasonOf, REFUSAL_HEADER } from "../refusal.ts";
import type { WebRequest, WebResult } from "./web-request.ts";

const { request: startRequest } = process.getBuiltinModule("node:http");

/** The way out of a session, and whom it trusts (PEM; absent: whom this process trusts). */
export type WayOut = { readonly egress: { readonly directory: string; readonly authority: string | null }; readonly trusted?: readonly string[] | undefined };

/** What a server may say before its body. */
const MAX_HEADER_BYTES = 32 * 1024;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Why nothing came back: the proxy refused, or the connection broke off. */
export class NoAnswer extends Error {
  readonly result: Extract<WebResult, { kind: "no-answer" }>;
  constructor(result: Extract<WebResult, { kind: "no-answer" }>) {
    super(result.reason);
    this.result = result;
  }
}

/**
 * Makes a request through a session's egress proxy, which judges it, resolves its host and adds credentials, as it does for a command inside. Nothing here
 * connects to anything else. A redirect within the same origin is followed, and judged by the proxy again; where another leads is told. Never rejects.
 */
export async function performRequest(wanted: WebRequest, way: WayOut, signal: AbortSignal): Promise<WebResult> {
  let { url } = wanted;
  try {
    for (let left = wanted.redirects; ; left -= 1) {
      const result = await oneRequest({ ...wanted, url }, way, signal);
      const { movedTo } = result;
      const mayFollow =
        movedTo !== null && left > 0 && URL.parse(movedTo)?.origin === new URL(url).origin && (wanted.method === "GET" || wanted.method === "HEAD");
      if (!mayFollow) return result;
      url = movedTo;
    }
  } catch (error) {
    if (error instanceof NoAnswer) return error.result;
    return { kind: "no-answer", refused: null, reason: describe(error, signal) };
  }
}

async function oneRequest(wanted: WebRequest, way: WayOut, signal: AbortSignal): Promise<Extract<WebResult, { kind: "answer" }>> {
  const { answer, end } = await openExchange(wanted, way, signal);
  try {
    return await readAnswer(answer, wanted, new URL(wanted.url));
  } finally {
    end();
  }
}

/** The head of an answer has come, its body comes as it is read. `end`: nothing more is wanted. */
export type Exchange = { readonly answer: IncomingMessage; readonly end: () => void };

/** Makes one request through the proxy. Rejects with {@link NoAnswer}, or an error of the connection; then nothing is left. */
export async function openExchange(wanted: Pick<WebRequest, "method" | "url" | "headers" | "body">, way: WayOut, signal: AbortSignal): Promise<Exchange> {
  const url = new URL(wanted.url);
  const socket = await connectProxy(way.egress.directory);
  // Whatever happens, it is gone with the request.
  const end = (): void => {
    signal.removeEventListener("abort", end);
    socket.destroy();
  };
  signal.addEventListener("abort", end, { once: true });
  try {
    signal.throwIfAborted();
    const isEncrypted = url.protocol === "https:";
    const server = isEncrypted ? await encrypted(await tunnelled(socket, url, signal), url, way) : socket;
    const isProxys = server instanceof TLSSocket ? isOfAuthority(server, way.egress.authority) : true;
    // Through TLS it is the server that is spoken to, else the proxy (RFC 9112, 3.2.2).
    const path = isEncrypted ? `${url.pathname}${url.search}` : url.href;
    const answer = await send(server, { method: wanted.method, path, headers: headersOf(wanted, url), signal }, wanted.body);
    if (isProxys && answer.headers[REFUSAL_HEADER] !== undefined) throw new NoAnswer(refusal(answer, url));
    return { answer, end };
  } catch (error) {
    end();
    throw error;
  }
}

/** By the folder: the path of the socket may be longer than one can be. */
async function connectProxy(directory: string): Promise<Socket> {
  const folder = openSync(directory, "r");
  try {
    const socket = connect({ path: `/proc/self/fd/${folder}/${SOCKET_NAME}` });
    await once(socket, "connect");
    // Also later: an error without a listener would end the process.
    socket.on("error", () => undefined);
    return socket;
  } finally {
    closeSync(folder);
  }
}

async function tunnelled(socket: Socket, url: URL, signal: AbortSignal): Promise<Socket> {
  const authority = `${url.hostname}:${url.port === "" ? "443" : url.port}`;
  const asking = startRequest({ createConnection: () => socket, method: "CONNECT", path: authority, headers: { host: authority }, signal });
  asking.end();
  const [answer] = (await once(asking, "connect")) as [IncomingMessage, Socket, Buffer];
  if (answer.statusCode !== 200) throw new NoAnswer(refusal(answer, url));
  return socket;
}

async function encrypted(socket: Socket, url: URL, { egress: { authority }, trusted }: WayOut): Promise<Socket> {
  const server = connectTls({
    socket,
    host: url.hostname,
    // An address is no server name (RFC 6066, 3).
    ...(isIP(url.hostname) === 0 ? { servername: url.hostname } : {}),
    ca: [...(trusted ?? tls.getCACertificates("default")), ...(authority === null ? [] : [authority])],
    minVersion: "TLSv1.2",
    ALPNProtocols: ["http/1.1"],
  });
  await once(server, "secureConnect");
  server.on("error", () => undefined);
  return server;
}

/** Whether TLS ended in the proxy, so that it is its word that is read: a server's own word of a refusal is none. */
function isOfAuthority(server: TLSSocket, authority: string | null): boolean {
  return authority !== null && server.getPeerX509Certificate()?.verify(new X509Certificate(authority).publicKey) === true;
}

function headersOf({ headers, body, method }: Pick<WebRequest, "headers" | "body" | "method">, url: URL): Readonly<Record<string, string>> {
  const length = body !== null || (method !== "GET" && method !== "HEAD") ? { "content-length": String(Buffer.byteLength(body ?? "")) } : {};
  return {
    "user-agent": "Warder",
    accept: "*/*",
    ...Object.fromEntries(headers.map(({ name, value }) => [name, value])),
    host: url.host,
    "accept-encoding": "identity",
    ...length,
    connection: "close",
  };
}

// No `agent`, not even false: then Node.js would make a connection of its own.
async function send(server: Socket, options: RequestOptions, body: string | null): Promise<IncomingMessage> {
  const asking = startRequest({ ...options, createConnection: () => server, maxHeaderSize: MAX_HEADER_BYTES, insecureHTTPParser: false });
  asking.end(body ?? undefined);
  const [answer] = (await once(asking, "response")) as [IncomingMessage];
  // Its end before the body's is told by whoever reads that.
  asking.on("error", () => undefined);
  return answer;
}

async function readAnswer(answer: IncomingMessage, { maxBytes, method }: WebRequest, url: URL): Promise<Extract<WebResult, { kind: "answer" }>> {
  const status = answer.statusCode ?? 0;
  const movedTo = REDIRECTS.has(status) ? targetOf(answer.headers.location ?? "", url) : null;
  const headers = pairsOf(answer.rawHeaders);
  const { body, isCut } = method === "HEAD" || movedTo !== null ? { body: new Uint8Array(), isCut: false } : await readBody(answer, maxBytes);
  return { kind: "answer", url: url.href, status, headers, body, isCut, movedTo };
}

/** At most so many bytes, decompressed as they come: what is behind them is never asked for. */
async function readBody(answer: IncomingMessage, maxBytes: number): Promise<{ readonly body: Uint8Array; readonly isCut: boolean }> {
  const decoder = decoderOf(answer);
  if (decoder === "unknown")
    throw new NoAnswer({ kind: "no-answer", refused: null, reason: "the answer is compressed, or written in characters, in a way that cannot be read" });
  if (decoder !== null) answer.on("error", (error) => decoder.destroy(error)).pipe(decoder);
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of decoder ?? answer) {
    const rest = maxBytes - bytes;
    parts.push((part as Buffer).subarray(0, rest));
    bytes += (part as Buffer).length;
    if (bytes > maxBytes) break;
  }
  return { body: Buffer.concat(parts), isCut: bytes > maxBytes };
}

function targetOf(location: string, base: URL): string | null {
  const target = URL.parse(location, base.href);
  if (target === null || (target.protocol !== "http:" && target.protocol !== "https:") || target.username !== "" || target.password !== "") return null;
  target.hash = "";
  return target.href;
}

function pairsOf(raw: readonly string[]): readonly (readonly [string, string])[] {
  return raw.flatMap((name, at) => (at % 2 === 0 ? [[name.toLowerCase(), raw[at + 1] ?? ""] as const] : []));
}

function refusal({ headers }: IncomingMessage, url: URL): Extract<WebResult, { kind: "no-answer" }> {
  const told = headers[REFUSAL_HEADER];
  const known = reasonOf(typeof told === "string" ? told : "");
  const target = `${url.hostname}:${url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port}`;
  if (known === null) return { kind: "no-answer", refused: null, reason: "the egress proxy gave no connection" };
  return { kind: "no-answer", refused: { target, ...known }, reason: known.reason };
}

function describe(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return "it took too long";
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
  if (code === "HPE_HEADER_OVERFLOW") return "the answer's headers are too large";
  if (code.startsWith("HPE_")) return "the answer is no HTTP";
  if (code.startsWith("Z_") || code.startsWith("ERR_BROTLI") || code.startsWith("ZSTD") || code.startsWith("ERR_ZSTD") || code.startsWith("ERR__ERROR"))
    return "the answer's body is not what its encoding says";
  if (/CERT|SIGNATURE|ISSUER|SELF_SIGNED|ALTNAME|UNABLE_TO/u.test(code)) return "the server's certificate is not one to trust";
  return "the connection failed or broke off";
}
