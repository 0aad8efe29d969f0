import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { z } from "zod";
import { MAX_TOOLS } from "./catalogue.ts";
import { openLines, type StartPipe } from "./transport.ts";

/** What a server answers to a call, as it came. */
export type CallAnswer = { readonly content: readonly unknown[]; readonly structuredContent?: unknown; readonly isError: boolean };

export type CallOptions = { readonly signal: AbortSignal; readonly timeoutMs: number; readonly onProgress: (text: string) => void };

/** A server that was started and greeted. All promises of a connection that has ended reject. */
export type Connection = {
  /** The list of its tools, as it came; at most {@link MAX_TOOLS} and one. */
  tools(): Promise<readonly unknown[]>;
  call(tool: string, input: Readonly<Record<string, unknown>>, options: CallOptions): Promise<CallAnswer>;
  readonly ended: Promise<{ readonly why: string; readonly noise: string }>;
  close(): Promise<void>;
};

const GREETING_MS = 30_000;
const LISTING_MS = 20_000;
const MAX_PAGES = 20;

const page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().max(4096).optional() });
export const answer = z.looseObject({
  content: z.array(z.unknown()).max(1000).default([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
});

/** The SDK would compile what a server says its results are: code that the server has a hand in. Nothing of it is read. */
const noValidator = { getValidator: () => (data: unknown) => ({ valid: true as const, data: data as never, errorMessage: undefined }) };

/** What carries a session's messages. `whyNot`: why a message of the server is not to be heard, as a predicate. `end`: why it has to end. */
export type Carrier = {
  readonly transport: Transport;
  readonly ended: Connection["ended"];
  readonly close: () => Promise<void>;
  readonly whyNot: (message: unknown) => string | null;
  readonly end: (why: string) => void;
};

/** Starts a server and greets it. `onToolsChanged`: it said that its tools are others now. Rejects, with nothing left, where it does not start or greet. */
export async function connect(start: StartPipe, onToolsChanged: () => void, greetingMs = GREETING_MS): Promise<Connection> {
  const transport = await openLines(start);
  const close = (): Promise<void> => transport.close();
  return await connectOver({ transport, ended: transport.ended, close, whyNot: () => null, end: () => undefined }, onToolsChanged, greetingMs);
}

/**
 * Greets a server. It is told of nothing that this side could do for it: what it asks for (sampling, elicitation, roots) is answered by the SDK as unknown.
 */
export async function connectOver(carrier: Carrier, onToolsChanged: () => void, greetingMs = GREETING_MS): Promise<Connection> {
  const { transport, ended, close } = carrier;
  hearOnly(carrier);
  const client = new Client({ name: "warder", version: "1" }, { capabilities: {}, jsonSchemaValidator: noValidator });
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    onToolsChanged();
  });
  try {
    await client.connect(transport, { timeout: greetingMs, maxTotalTimeout: greetingMs });
  } catch (error) {
    await close();
    const { why, noise } = await ended;
    const itself = why === "it was closed" ? (error instanceof Error ? error.message : "it did not greet") : why;
    throw new Error(noise.trim() === "" ? itself : `${itself}; it said: ${noise.trim()}`, { cause: error });
  }
  return {
    tools: () => pagesOf(async (params) => await client.request({ method: "tools/list", params }, page, { timeout: LISTING_MS, maxTotalTimeout: LISTING_MS })),
    call: async (name, input, { signal, timeoutMs, onProgress }) => {
      const {
        content,
        structuredContent,
        isError = false,
      } = await client.request({ method: "tools/call", params: { name, arguments: input } }, answer, {
        signal,
        timeout: timeoutMs,
        maxTotalTimeout: timeoutMs,
        onprogress: ({ message }) => {
          if (message !== undefined) onProgress(message);
        },
      });
      return { content, structuredContent, isError };
    },
    ended,
    close,
  };
}

/** A server's list of tools, page by page; at most {@link MAX_TOOLS} and one. */
export async function pagesOf(ask: (params: { readonly cursor?: string }) => Promise<unknown>): Promise<readonly unknown[]> {
  const listed: unknown[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES && listed.length <= MAX_TOOLS; pages += 1) {
    const next = page.parse(await ask(cursor === undefined ? {} : { cursor }));
    listed.push(...next.tools.slice(0, MAX_TOOLS + 1));
    cursor = next.nextCursor;
    if (cursor === undefined) break;
  }
  return listed.slice(0, MAX_TOOLS + 1);
}

/** A message that is too much ends the session before anybody looks into it. */
function hearOnly({ transport, whyNot, end }: Carrier): void {
  let given: Transport["onmessage"];
  Object.defineProperty(transport, "onmessage", {
    get: (): Transport["onmessage"] =>
      given === undefined
        ? undefined
        : (message, extra) => {
            const why = whyNot(message);
            if (why === null) given?.(message, extra);
            else end(`a message of it is ${why}`);
          },
    set: (heard: Transport["onmessage"]) => {
      given = heard;
    },
  });
}
