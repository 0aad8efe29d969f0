import type { IncomingMessage, ServerResponse } from "node:http";

/** A longer body ends the request: no call of a tool is as long. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;
/** A client that takes nothing of its answer for so long is gone. */
const STALLED_MS = 30_000;

/** What was sent: JSON, none at all, more than is taken, or what is no JSON. */
export type Body =
  | { readonly kind: "json"; readonly value: unknown }
  | { readonly kind: "none" }
  | { readonly kind: "too-long" }
  | { readonly kind: "no-json" };

/** Reads it, and no more of it than is taken. Throws when the client goes away in the middle. */
export async function bodyOf(request: IncomingMessage): Promise<Body> {
  if (request.method !== "POST") return { kind: "none" };
  if (Number(request.headers["content-length"] ?? 0) > MAX_BODY_BYTES) return { kind: "too-long" };
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return { kind: "too-long" };
    chunks.push(chunk);
  }
  try {
    return { kind: "json", value: JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks))) };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return { kind: "no-json" };
    throw error;
  }
}

/** The request for whoever speaks the protocol, without its body. `gone` fires when the client goes away before it has its answer. */
export function webRequest({ method = "GET", url = "/", headers }: IncomingMessage, gone: AbortSignal): Request {
  const sent = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    // The token is for the door alone.
    if (name !== "authorization" && value !== undefined) sent.set(name, Array.isArray(value) ? value.join(", ") : value);
  }
  return new Request(new URL(url, "http://localhost"), { method, headers: sent, signal: gone });
}

/** Sends an answer as fast as the client takes it. */
export async function send(response: ServerResponse, answer: Response, gone: AbortSignal): Promise<void> {
  response.writeHead(answer.status, { ...Object.fromEntries(answer.headers), "x-content-type-options": "nosniff" });
  const reader = answer.body?.getReader();
  if (reader !== undefined) {
    response.flushHeaders();
    const leave = (): void => void reader.cancel().catch(() => undefined);
    gone.addEventListener("abort", leave, { once: true });
    try {
      for (let part = await reader.read(); !part.done && !gone.aborted; part = await reader.read()) {
        if (!response.write(part.value)) await drained(response);
      }
    } finally {
      gone.removeEventListener("abort", leave);
      if (gone.aborted) leave();
    }
  }
  response.end();
}

async function drained(response: ServerResponse): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const done = (): void => {
    resolve(undefined);
  };
  response.once("drain", done);
  response.once("close", done);
  const timer = setTimeout(() => response.destroy(), STALLED_MS);
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    response.off("drain", done);
    response.off("close", done);
  }
}
