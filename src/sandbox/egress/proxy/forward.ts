import type { ClientRequest, IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import type { Connection, ConnectionEnd } from "../traffic/connection-record.ts";
import { credentialHeaders } from "../secrets/credential.ts";
import { decoderOf } from "./decompress.ts";
import { forwardedHeaders } from "./headers.ts";
import type { AskedRequest, JudgedRequest } from "./judge-request.ts";
import { REFUSAL_HEADER } from "../refusal.ts";
import { ByteLimit, limitBytes } from "../traffic/byte-limit.ts";
import { lookAt } from "../registries/answer.ts";
import type { ProxySetting } from "./setting.ts";
import { authorityOf } from "../hosts/target.ts";
import type { Flow } from "../traffic/quotas.ts";
import { connectOverTls, connectTo } from "./connect.ts";

const { request: startRequest } = process.getBuiltinModule("node:http");

/** A request that may go out. */
export type Outgoing = AskedRequest & { readonly address: string; readonly judged: Exclude<JudgedRequest, { refusal: unknown }> };

export type ForwardSetting = { readonly connection: Connection; readonly flow: Flow; readonly setting: ProxySetting };

// Of a host that knows a secret: an answer in parts, compressed or as a difference could carry it past the redaction. Some servers take a part by
// an older name or one of their own; what answers in parts all the same is refused (decompress.ts).
const UNWATCHED: readonly string[] = ["accept-encoding", "accept-charset", "a-im", "range", "if-range", "request-range", "x-range", "x-ms-range"];

/**
 * Sends a request to its server and passes the answer on. `credential-refused`: nothing was sent, and the client is still to be told. It
 * never follows a redirect: that is the client's, who has no credential.
 */
export async function forward(
  incoming: IncomingMessage,
  response: ServerResponse,
  about: ForwardSetting,
  outgoing: Outgoing,
): Promise<ConnectionEnd | "credential-refused"> {
  const { connection, setting } = about;
  const socket = await connectServer(outgoing, setting);
  if (typeof socket === "string") {
    complain(response, socket);
    return socket;
  }
  const { credentials } = outgoing.judged;
  // To read a package is no action, with whatever the person's client signs in.
  for (const credential of outgoing.judged.registry === undefined ? credentials : []) {
    const isGranted = await setting.termination?.onUse({
      credential: credential.id,
      ...outgoing.target,
      method: outgoing.method,
      path: connection.request?.path ?? "",
    });
    if (isGranted === true) continue;
    socket.destroy();
    return "credential-refused";
  }
  // Who asked may have gone, or have been cut off by the stop switch, while the connection was made: nothing leaves any more.
  if (incoming.socket.destroyed || setting.traffic.isHalted) {
    socket.destroy();
    response.destroy();
    return "broken";
  }
  if (connection.request !== null) connection.request = { ...connection.request, credentials: credentials.map(({ id }) => id) };
  return await converse(incoming, response, about, { ...outgoing, socket });
}

async function connectServer(
  { address, target, isEncrypted, judged }: Outgoing,
  { limits, termination }: ProxySetting,
): Promise<Socket | "unreachable" | "certificate-refused"> {
  if (isEncrypted)
    return await connectOverTls({ address, target }, [...(termination?.trusted ?? []), ...(judged.registry?.origin.trusted ?? [])], limits.connectMs);
  return (await connectTo(address, target.port, limits.connectMs)) ?? "unreachable";
}

async function converse(
  incoming: IncomingMessage,
  response: ServerResponse,
  { connection, flow, setting }: ForwardSetting,
  asked: Outgoing & { readonly socket: Socket },
): Promise<ConnectionEnd> {
  const { limits } = setting;
  let end: ConnectionEnd | null = null;
  const outgoing = startRequest({
    // A connection of its own: nothing that is left of one request is taken for the begin of another's answer.
    createConnection: () => asked.socket,
    method: asked.method,
    path: asked.judged.path,
    setHost: false,
    maxHeaderSize: limits.headerBytes,
    headers: headersOf(incoming, asked, setting),
  });
  // No limit: their bytes are limited. Beyond a thousand Node.js would pass an answer's headers on (`rawHeaders`) and no longer tell what they
  // say (`headers`), and an encoding that is not read is not undone. More of a request's its server refuses (431).
  outgoing.maxHeadersCount = 0;
  const cut = new AbortController();
  const stop = (reason: ConnectionEnd): void => {
    end ??= reason;
    outgoing.destroy(new Error(reason));
    // The answer may be here as a whole and wait for a client that does not read it.
    cut.abort();
  };
  const whole = setTimeout(() => {
    stop("time-limit");
  }, limits.totalMs);
  outgoing.setTimeout(limits.idleMs, () => {
    stop("idle");
  });
  // Not the response's own end: behind others of its socket it may have none. One for each that was pipelined.
  const gone = (): void => {
    if (!response.writableFinished) stop("broken");
  };
  // Kept: a body that fails takes it from its request.
  const client = incoming.socket.setMaxListeners(0).once("close", gone);
  try {
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      outgoing.once("response", resolve);
      outgoing.on("error", reject);
      // Also without an error: a server that answers 101, which nobody asked for, ends it so.
      outgoing.once("close", () => {
        reject(new Error("no answer"));
      });
    });
    const sent = sendBody(
      incoming,
      outgoing,
      limitBytes((bytes) => connection.takes("bytesUp", bytes, limits.bytesUp) && flow.takes("bytesUp", bytes)),
    );
    // A server may answer before it has read everything; what then goes wrong with the rest is not the answer's failure.
    sent.catch((error: unknown) => {
      if (error instanceof ByteLimit) stop("byte-limit");
    });
    const answer = await answered;
    const found = asked.judged.registry === undefined ? null : lookAt(answer, asked.judged.registry, asked, setting);
    if (found === "redirect-refused") {
      complain(response, found);
      return found;
    }
    const refused = await passOn(answer, response, setting, {
      asked,
      counted: limitBytes((bytes) => connection.takes("bytesDown", bytes, limits.bytesDown) && flow.takes("bytesDown", bytes)),
      signal: cut.signal,
    });
    return refused ?? end ?? found ?? "closed";
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (error instanceof ByteLimit) end = "byte-limit";
    if (response.headersSent) response.destroy();
    else complain(response, "broken");
    return end ?? "broken";
  } finally {
    clearTimeout(whole);
    client.off("close", gone);
    outgoing.destroy();
  }
}

function headersOf(incoming: IncomingMessage, { judged, target, isEncrypted }: Outgoing, { termination }: ProxySetting): readonly string[] {
  const isWatched = (termination?.redactor ?? null) !== null;
  const dropped = ["host", "expect", ...judged.reserved, ...(isWatched ? UNWATCHED : [])];
  const kept = forwardedHeaders(judged.registry?.headers.flat() ?? incoming.rawHeaders, dropped);
  return [
    ...kept,
    ...(isWatched ? [["Accept-Encoding", "identity"] as const] : []),
    ...credentialHeaders(judged.credentials, termination?.secrets ?? new Map()),
    ["Host", authorityOf(target, isEncrypted)] as const,
    ["Connection", "close"] as const,
    ...bodyFraming(incoming),
  ].flat();
}

/** Passes an answer on, without what the session's secrets could be read from. The reason when it cannot be looked through. */
async function passOn(
  answer: IncomingMessage,
  response: ServerResponse,
  { termination }: ProxySetting,
  { asked, counted, signal }: { readonly asked: Outgoing; readonly counted: ReturnType<typeof limitBytes>; readonly signal: AbortSignal },
): Promise<ConnectionEnd | null> {
  const redactor = termination?.redactor ?? null;
  if (redactor === null) {
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage ?? "", [...forwardedHeaders(answer.rawHeaders, [REFUSAL_HEADER])].flat());
    await pipeline(answer, counted, response, { signal });
    return null;
  }
  const hasBody = asked.method !== "HEAD" && answer.statusCode !== 204 && answer.statusCode !== 304;
  const decoder = hasBody ? decoderOf(answer) : null;
  if (decoder === "unknown") {
    complain(response, "encoding-unknown");
    return "encoding-unknown";
  }
  // A cookie that a host sets for its credential is a credential; what is redacted has another length.
  const dropped = [
    REFUSAL_HEADER,
    ...(asked.judged.reserved.length > 0 ? ["set-cookie"] : []),
    ...(hasBody ? ["content-length", "content-encoding", "content-md5", "digest", "content-digest"] : []),
  ];
  const headers = forwardedHeaders(answer.rawHeaders, dropped).filter(([name]) => redactor.text(name) === name);
  response.writeHead(
    answer.statusCode ?? 502,
    redactor.text(answer.statusMessage ?? ""),
    headers.flatMap(([name, value]) => [name, redactor.text(value)]),
  );
  const clean = redactor.stream();
  await (decoder === null ? pipeline(answer, counted, clean, response, { signal }) : pipeline(answer, decoder, counted, clean, response, { signal }));
  return null;
}

const COMPLAINTS: Partial<Record<ConnectionEnd, string>> = {
  "certificate-refused": "the server's certificate is not one that Warder trusts for this name",
  "redirect-refused": "the registry answers with a redirect to an address that is none of its own; a person can list its host in sandbox.network.allow",
  "encoding-unknown": "the server's answer is encoded in a way that cannot be looked through",
};

function complain(response: ServerResponse, reason: ConnectionEnd): void {
  // The reason is named: one of the server's that no client may be told still stands in the response.
  response.writeHead(502, "Bad Gateway", { "content-type": "text/plain", connection: "close", "x-warder-failure": reason });
  response.end(`Warder's egress proxy: ${COMPLAINTS[reason] ?? "the server cannot be reached or did not answer in HTTP"}.\n`);
}

/** Stated whenever there is a body, or its bytes would be the next request. */
function bodyFraming(incoming: IncomingMessage): readonly (readonly [string, string])[] {
  return incoming.headers["transfer-encoding"] === undefined ? [] : [["Transfer-Encoding", "chunked"]];
}

async function sendBody(incoming: IncomingMessage, outgoing: ClientRequest, countedUp: ReturnType<typeof limitBytes>): Promise<void> {
  const { headers } = incoming;
  if (headers["transfer-encoding"] === undefined && headers["content-length"] === undefined) {
    outgoing.end();
    return;
  }
  await pipeline(incoming, countedUp, outgoing);
}
