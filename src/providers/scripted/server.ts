import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { AgentError } from "../../base/errors.ts";
import { anthropicWire } from "./anthropic-wire.ts";
import { findPairingError } from "./conversation.ts";
import { openaiWire } from "./openai-wire.ts";
import type { Script } from "./script.ts";
import { chooseTurn } from "./turn-choice.ts";
import { type Wire, estimateTokens } from "./wire.ts";

const { createServer } = process.getBuiltinModule("node:http");

const MAX_REQUEST_BYTES = 64 * 1024 * 1024;

export type ScriptedServer = {
  /** Up to and including `/v1`. */
  readonly baseUrl: string;
  readonly token: string;
  /** What differed from the script in the last request, said once; null when nothing did. */
  takeMismatch(): string | null;
  close(): Promise<void>;
};

/** Plays a script on a random port of the loopback interface, to whoever has the token. */
export async function startScriptedServer(script: Script): Promise<ScriptedServer> {
  const token = randomBytes(32).toString("base64url");
  const wire = script.protocol === "anthropic" ? anthropicWire : openaiWire;
  let mismatch: string | null = null;
  const server = createServer((request, response) => {
    answer({ script, wire, token, onMismatch: (message) => (mismatch = message) }, request, response).catch((error: unknown) => {
      // A client that went away in the middle: there is nobody to tell.
      response.destroy(error instanceof Error ? error : undefined);
    });
  });
  const port = await listen(server);
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    token,
    takeMismatch: () => {
      const taken = mismatch;
      mismatch = null;
      return taken;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      if (address === null || typeof address === "string") reject(new AgentError("broken-invariant", "The scripted server has no port."));
      else resolve(address.port);
    });
  });
}

type Stage = { readonly script: Script; readonly wire: Wire; readonly token: string; readonly onMismatch: (message: string) => void };

async function answer(stage: Stage, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const refuse = (status: number, message: string) => {
    response.writeHead(status, { "content-type": "application/json", connection: "close" });
    response.end(JSON.stringify(stage.wire.error(status, message)));
  };
  const { header, value } = stage.wire.credential(stage.token);
  if (!isSame(request.headers[header], value)) return refuse(401, "The request does not carry this run's token.");
  if (request.method !== "POST" || request.url !== stage.wire.path) return refuse(404, `Only POST ${stage.wire.path} is played.`);
  const body = await readJson(request);
  if (body.kind === "bad") return refuse(400, body.message);
  const read = stage.wire.read(body.value);
  if (read.kind === "bad") return refuse(400, read.message);
  const pairingError = findPairingError(read.conversation.messages);
  if (pairingError !== null) return refuse(400, pairingError);
  const choice = chooseTurn(stage.script, read.conversation.messages);
  if (choice.kind === "mismatch") {
    stage.onMismatch(choice.message);
    return refuse(400, choice.message);
  }
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  for (const event of stage.wire.write({ ...choice, model: read.model, inputTokens: estimateTokens(read.conversation.length) })) response.write(event);
  response.end();
}

function isSame(given: string | string[] | undefined, wanted: string): boolean {
  if (typeof given !== "string") return false;
  const left = Buffer.from(given);
  const right = Buffer.from(wanted);
  return left.length === right.length && timingSafeEqual(left, right);
}

async function readJson(request: IncomingMessage): Promise<{ kind: "value"; value: unknown } | { kind: "bad"; message: string }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_REQUEST_BYTES) return { kind: "bad", message: "The request is larger than 64 MiB." };
    chunks.push(chunk);
  }
  try {
    return { kind: "value", value: JSON.parse(Buffer.concat(chunks).toString("utf8")) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { kind: "bad", message: `The request is no JSON: ${error.message}` };
  }
}
