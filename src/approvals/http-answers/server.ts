import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Clock } from "../../base/clock.ts";
import { AgentError } from "../../base/errors.ts";
import { readAnswer, refusedHead } from "./request.ts";
import type { TokenAnswer, TokenReceipt } from "./token.ts";

const { createServer } = process.getBuiltinModule("node:http");

export type AnswerServerOptions = {
  /** Loopback alone: the token is no secret any more where others can listen. */
  readonly listen: { readonly host: "127.0.0.1" | "::1"; readonly port: number };
  /** Names that it is reached by from outside, through a proxy: `host` or `host:port`, in lower case. */
  readonly hosts: readonly string[];
  readonly clock: Clock;
  /** Whether the token is one of the question's, whatever became of it. Must be cheap: whoever can connect can make it run. */
  readonly knows: (answer: TokenAnswer) => boolean;
  /** Takes an answer and records it. */
  readonly take: (answer: TokenAnswer) => TokenReceipt;
};

export type AnswerServer = { readonly url: string; close(): Promise<void> };

const MAX_BODY_BYTES = 4 * 1024;
const MAX_CONNECTIONS = 32;
/** More answers than a person gives to one question. Those without a token of it are counted together, so that they keep no real one out. */
const MAX_POSTS_PER_MINUTE = 60;
const MINUTE_MS = 60_000;

/**
 * Takes answers over HTTP: `POST …/approvals/ID` with a token as bearer, and nothing else. It shows nothing of a question, whoever asks and however. Throws
 * `bad-configuration` when the address cannot be listened on.
 */
export async function startAnswerServer(options: AnswerServerOptions): Promise<AnswerServer> {
  const { host, port } = options.listen;
  const server = createServer({ headersTimeout: 5_000, requestTimeout: 10_000, keepAlive: false, maxHeaderSize: 8_192 });
  server.maxConnections = MAX_CONNECTIONS;
  await listening(server, options.listen);
  const bound = (server.address() as AddressInfo).port;
  const names = host === "::1" ? [`[::1]:${bound}`] : [`127.0.0.1:${bound}`, `localhost:${bound}`];
  const setting = { ...options, hosts: new Set([...names, ...options.hosts]), posts: postLimit(options.clock) };
  server.on("request", (request, response) => void respond(setting, request, response));
  return {
    url: `http://${host === "::1" ? "[::1]" : host}:${bound || port}/`,
    close: async () => {
      const { promise, resolve } = Promise.withResolvers<undefined>();
      server.close(() => {
        resolve(undefined);
      });
      server.closeAllConnections();
      await promise;
    },
  };
}

type Setting = Omit<AnswerServerOptions, "hosts"> & { readonly hosts: ReadonlySet<string>; readonly posts: (about: string) => boolean };

async function respond(setting: Setting, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const { status, body } = await judge(setting, request);
    reply(response, status, body);
  } catch (error) {
    // The store or the log cannot be written, or the sender went away: nothing was answered, and nothing is told of why.
    void error;
    if (!response.headersSent) reply(response, 503, { problem: "nothing was answered; try again" });
  }
}

type Reply = { readonly status: number; readonly body: Readonly<Record<string, unknown>> | null };

async function judge({ hosts, posts, knows, take }: Setting, request: IncomingMessage): Promise<Reply> {
  const refused = refusedHead(request.method, request.headers, hosts);
  if (refused !== null) return problem(refused.status, refused.problem);
  const body = await bodyOf(request);
  if (body === null) return problem(413, "an answer is short");
  const asked = readAnswer((request.url ?? "/").split("?", 1)[0] ?? "/", request.headers.authorization, body);
  if (!posts(asked.kind === "answer" && knows(asked.answer) ? asked.answer.approvalId : "")) return problem(429, "too many answers; wait a minute");
  if (asked.kind === "refused") return problem(asked.status, asked.problem);
  return replyTo(take(asked.answer));
}

function replyTo(receipt: TokenReceipt): Reply {
  switch (receipt.kind) {
    case "taken":
      return { status: 200, body: { state: receipt.approval.state, by: receipt.approval.answeredBy } };
    case "counted":
      return { status: 202, body: { state: "pending", approvers: receipt.approval.approvers.length, needed: receipt.approval.card.needed } };
    case "unconfirmed":
      return problem(422, receipt.reason);
    case "over":
      return { status: 410, body: { state: receipt.state } };
    case "stranger":
      return problem(404, "no such question, or this token does not answer it");
  }
}

function problem(status: number, text: string): Reply {
  return { status, body: text === "" ? null : { problem: text } };
}

function reply(response: ServerResponse, status: number, body: Reply["body"]): void {
  const text = body === null ? "" : `${JSON.stringify(body)}\n`;
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    connection: "close",
    ...(status === 405 ? { allow: "POST" } : {}),
  });
  response.end(text);
}

/** The body as text, or null when it is too long; then the rest is not read. */
async function bodyOf(request: IncomingMessage): Promise<string | null> {
  if (Number(request.headers["content-length"] ?? 0) > MAX_BODY_BYTES) return null;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Whether one more may come in this minute, of those about the same question. */
function postLimit(clock: Clock): (about: string) => boolean {
  let windowStartMs = clock.monotonicMs();
  const counts = new Map<string, number>();
  return (about) => {
    const nowMs = clock.monotonicMs();
    if (nowMs - windowStartMs >= MINUTE_MS) {
      windowStartMs = nowMs;
      counts.clear();
    }
    const count = (counts.get(about) ?? 0) + 1;
    counts.set(about, count);
    return count <= MAX_POSTS_PER_MINUTE;
  };
}

async function listening(server: Server, { host, port }: AnswerServerOptions["listen"]): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  server.once("error", reject);
  server.listen({ host, port, exclusive: true }, () => {
    resolve(undefined);
  });
  try {
    await promise;
  } catch (error) {
    throw new AgentError("bad-configuration", `Answers cannot be taken at ${host}:${port}: ${error instanceof Error ? error.message : "unknown fault"}.`, {
      cause: error,
    });
  }
}
