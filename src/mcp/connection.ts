import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { McpError, ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { z } from "zod";
import { type Answerer, AskRefused, CAN_ASK } from "./asked.ts";
import { createTimer, type CallTimer } from "./call-timer.ts";
import { MAX_TOOLS } from "./server.ts";
import { openLines, type StartPipe } from "./transport.ts";

/** What a server answers to a call, as it came. */
export type CallAnswer = { readonly content: readonly unknown[]; readonly structuredContent?: unknown; readonly isError: boolean };

export type CallOptions = {
  readonly signal: AbortSignal;
  /** Without the time that a person takes to answer what the server asks. */ readonly timeoutMs: number;
  readonly onProgress: (text: string) => void;
  /** Answers what the server asks for meanwhile; absent: nobody does. */
  readonly answerer?: Answerer | undefined;
  /** The tool's, as it was confirmed: it may want arguments in headers as well. */
  readonly inputSchema?: Readonly<Record<string, unknown>> | undefined;
};

/** What a server says that it has beside tools. */
export type Offers = { readonly resources: boolean; readonly prompts: boolean };

/** What is asked of a server beside its tools. `name`: the resource or the prompt that it is about. */
export type Look = {
  readonly method: "resources/list" | "resources/templates/list" | "resources/read" | "prompts/list" | "prompts/get";
  readonly params: Readonly<Record<string, unknown>>;
  readonly name?: string;
};

/** A server that was started and greeted. All promises of a connection that has ended reject. */
export type Connection = {
  /** The list of its tools, as it came; at most {@link MAX_TOOLS} and one. */
  tools(): Promise<readonly unknown[]>;
  call(tool: string, input: Readonly<Record<string, unknown>>, options: CallOptions): Promise<CallAnswer>;
  readonly offers: Offers;
  /** Its answer as it came. */
  look(look: Look, options: Pick<CallOptions, "signal" | "timeoutMs">): Promise<Readonly<Record<string, unknown>>>;
  readonly ended: Promise<{ readonly why: string; readonly noise: string }>;
  close(): Promise<void>;
};

const GREETING_MS = 30_000;
const LISTING_MS = 20_000;
const MAX_PAGES = 20;
/** `setTimeout` takes no more. */
const LONGEST_MS = 2 ** 31 - 1;
const INVALID_REQUEST = -32600;

const page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().max(4096).optional() });
export const answer = z.looseObject({
  content: z.array(z.unknown()).max(1000).default([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
});

const anything = z.looseObject({});

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

/** `onToolsChanged`: it said that its tools are others now. `canAsk`: it may ask for something while it does a call. */
export type Hearing = { readonly onToolsChanged: () => void; readonly canAsk: boolean };

/** Starts a server and greets it. Rejects, with nothing left, where it does not start or greet. */
export async function connect(start: StartPipe, hearing: Hearing, greetingMs = GREETING_MS): Promise<Connection> {
  const transport = await openLines(start);
  const close = (): Promise<void> => transport.close();
  return await connectOver({ transport, ended: transport.ended, close, whyNot: () => null, end: () => undefined }, hearing, greetingMs);
}

type Going = { readonly answerer: Answerer | undefined; readonly timer: CallTimer };

/**
 * Greets a server. Where nobody can be asked it is told so: what it asks for (sampling, elicitation, roots) is answered by the SDK as unknown. Otherwise it may
 * ask while it does exactly one call, because no request says which of several it is for.
 */
export async function connectOver(carrier: Carrier, { onToolsChanged, canAsk }: Hearing, greetingMs = GREETING_MS): Promise<Connection> {
  const { transport, ended, close } = carrier;
  hearOnly(carrier);
  const client = new Client({ name: "warder", version: "1" }, { capabilities: canAsk ? CAN_ASK : {}, jsonSchemaValidator: noValidator });
  const going = new Set<Going>();
  if (canAsk) client.fallbackRequestHandler = async ({ method, params }) => await answerDuring(going, { method, params });
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
    call: async (name, input, { signal, timeoutMs, onProgress, answerer }) => {
      const timer = createTimer(timeoutMs);
      const mine = { answerer, timer };
      going.add(mine);
      try {
        const {
          content,
          structuredContent,
          isError = false,
        } = await client.request({ method: "tools/call", params: { name, arguments: input } }, answer, {
          signal: AbortSignal.any([signal, timer.signal]),
          // The timer's is what counts: it stands still while a person is asked.
          timeout: LONGEST_MS,
          onprogress: ({ message }) => {
            if (message !== undefined) onProgress(message);
          },
        });
        return { content, structuredContent, isError };
      } catch (error) {
        throw timer.fault(signal) ?? error;
      } finally {
        timer.end();
        going.delete(mine);
      }
    },
    offers: { resources: client.getServerCapabilities()?.resources !== undefined, prompts: client.getServerCapabilities()?.prompts !== undefined },
    look: async ({ method, params }, { signal, timeoutMs }) =>
      await client.request({ method, params }, anything, { signal, timeout: timeoutMs, maxTotalTimeout: timeoutMs }),
    ended,
    close,
  };
}

async function answerDuring(going: ReadonlySet<Going>, asked: Parameters<Answerer>[0]): Promise<Readonly<Record<string, unknown>>> {
  const [only] = going.size === 1 ? going : [];
  if (only?.answerer === undefined) throw new McpError(INVALID_REQUEST, "It is asked while exactly one call goes on.");
  const goOn = only.timer.pause();
  try {
    return await only.answerer(asked);
  } catch (error) {
    throw error instanceof AskRefused ? new McpError(error.code, error.message) : error;
  } finally {
    goOn();
  }
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
