import { z } from "zod";
import { argumentHeaders, headerValue } from "../argument-headers.ts";
import { AskRefused, type Answerer, CAN_ASK } from "../asked.ts";
import { CallLate } from "../call-timer.ts";
import { answer, type CallOptions, type Connection, type Offers, pagesOf } from "../connection.ts";
import { isNestedBeyond } from "../json-size.ts";
import type { Fetch } from "./bounded.ts";
import { eventsIn } from "./event-stream.ts";

/** The generation without sessions: each request stands for itself, and says what the client is. */
export const MODERN_VERSION = "2026-07-28";

const MAX_NESTING = 200;
const LISTING_MS = 20_000;

const message = z.looseObject({
  id: z.unknown().optional(),
  method: z.string().optional(),
  params: z.looseObject({ progressToken: z.unknown().optional(), message: z.unknown().optional() }).optional(),
  result: z.looseObject({ resultType: z.string().optional() }).optional(),
  error: z.looseObject({ code: z.number(), message: z.string() }).optional(),
});

/** What a server answered that is no result. `status`: of HTTP; `code`: of the protocol, null where it said none. */
export class ServerRefusal extends Error {
  readonly status: number;
  readonly code: number | null;
  constructor(why: string, { status, code }: { readonly status: number; readonly code: number | null }) {
    super(why);
    this.status = status;
    this.code = code;
  }
}

type Asked = {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
  /** What the request is about, for those who read no body. */
  readonly name?: string;
  /** Beside those of the protocol. */
  readonly headers?: Readonly<Record<string, string>>;
};

type Bounds = Pick<CallOptions, "timeoutMs"> & {
  readonly signal?: AbortSignal;
  readonly onProgress?: (text: string) => void;
  readonly onNotice?: (method: string) => void;
};

export type Requester = (asked: Asked, bounds: Bounds) => Promise<Readonly<Record<string, unknown>>>;

/**
 * Makes requests of this generation, one after the other or at once. Their answers come as JSON or as a stream, within the limits of `fetched`. `canAsk`: a
 * server may answer that it wants to know something first.
 */
export function requester(url: string, fetched: Fetch, canAsk: boolean): Requester {
  let last = 0;
  return async ({ method, params = {}, name, headers = {} }, { timeoutMs, signal, onProgress, onNotice }) => {
    const id = (last += 1);
    const meta = {
      "io.modelcontextprotocol/protocolVersion": MODERN_VERSION,
      "io.modelcontextprotocol/clientInfo": { name: "warder", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": canAsk ? CAN_ASK : {},
      ...(onProgress === undefined ? {} : { progressToken: id }),
    };
    const late = AbortSignal.timeout(timeoutMs);
    const heard = (text: string): Readonly<Record<string, unknown>> | null => {
      const said = messageIn(text);
      if (said.method !== undefined) {
        const words = said.params?.message;
        if (said.method === "notifications/progress" && said.params?.progressToken === id && typeof words === "string") onProgress?.(words);
        onNotice?.(said.method);
        return null;
      }
      if (said.error !== undefined && (said.id === id || said.id === undefined || said.id === null))
        throw new ServerRefusal(said.error.message, { status: 200, code: said.error.code });
      return said.id === id && said.result !== undefined ? said.result : null;
    };
    try {
      const response = await fetched(url, {
        method: "POST",
        redirect: "manual",
        headers: {
          ...headers,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": MODERN_VERSION,
          "mcp-method": method,
          ...(name === undefined ? {} : { "mcp-name": headerValue(name) }),
        },
        body: JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta: meta } }),
        signal: signal === undefined ? late : AbortSignal.any([signal, late]),
      });
      const { body, status } = response;
      const type = (response.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase();
      if (body === null) throw new ServerRefusal(`it answered with HTTP ${String(status)} and nothing else`, { status, code: null });
      if (type === "text/event-stream" && response.ok) {
        for await (const event of eventsIn(body)) {
          const result = heard(event);
          if (result !== null) return result;
        }
        throw new ServerRefusal("its answer ended before the result", { status, code: null });
      }
      const text = await response.text();
      if (type !== "application/json") throw new ServerRefusal(`it answered with HTTP ${String(status)}`, { status, code: null });
      const result = withStatus(status, () => heard(text));
      if (result === null || !response.ok) throw new ServerRefusal(`it answered with HTTP ${String(status)}`, { status, code: null });
      return result;
    } catch (error) {
      if (late.aborted && signal?.aborted !== true) throw new CallLate("it did not answer in time", { cause: error });
      throw error;
    }
  };
}

function withStatus<T>(status: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ServerRefusal) throw new ServerRefusal(error.message, { status, code: error.code });
    throw error;
  }
}

function messageIn(text: string): z.output<typeof message> {
  if (isNestedBeyond(text, MAX_NESTING)) throw new Error(`a message of it is nested deeper than ${String(MAX_NESTING)} levels`);
  try {
    return message.parse(JSON.parse(text));
  } catch (error) {
    throw new Error("it sent something that is no message of the protocol", { cause: error });
  }
}

type Ended = Awaited<Connection["ended"]>;
export type ModernParts = {
  readonly request: Requester;
  readonly isTelling: boolean;
  readonly offers: Offers;
  readonly onToolsChanged: () => void;
  readonly ended: Promise<Ended>;
  readonly close: () => Promise<void>;
};

/** `isTelling`: the server says when its tools change, to those who listen. Where nobody is told, its tools are looked at again before each call. */
export function modernConnection({ request, isTelling, offers, onToolsChanged, ended, close }: ModernParts): Connection {
  const closed = new AbortController();
  let isListening = false;
  const listen = async (): Promise<void> => {
    isListening = true;
    try {
      const onNotice = (method: string): void => {
        if (method === "notifications/tools/list_changed") onToolsChanged();
      };
      await request(
        { method: "subscriptions/listen", params: { notifications: { toolsListChanged: true } } },
        { timeoutMs: LONGEST_LISTENING_MS, signal: closed.signal, onNotice },
      );
    } catch (error) {
      // Whatever ended it: what would have been told is looked for from now on.
      void error;
    }
    isListening = false;
    onToolsChanged();
  };
  return {
    tools: async () => {
      if (isTelling && !isListening) void listen();
      return await pagesOf(async (params) => await request({ method: "tools/list", params }, { timeoutMs: LISTING_MS, signal: closed.signal }));
    },
    offers,
    look: async (look, { signal, timeoutMs }) => await request(look, { timeoutMs, signal: AbortSignal.any([signal, closed.signal]) }),
    call: async (name, input, { signal, timeoutMs, onProgress, answerer, inputSchema }) => {
      const headers = inputSchema === undefined ? {} : argumentHeaders(inputSchema, input);
      const bounds = { timeoutMs, onProgress, signal: AbortSignal.any([signal, closed.signal]) };
      let answers: Readonly<Record<string, unknown>> = {};
      let result = await request({ method: "tools/call", params: { name, arguments: input }, name, headers }, bounds);
      for (let rounds = 0; result["resultType"] === "input_required"; rounds += 1) {
        if (answerer === undefined) throw new Error("it wants an answer of yours before it does this, and nobody can be asked here");
        if (rounds === MAX_ROUNDS) throw new Error(`it asked ${String(MAX_ROUNDS)} times for something before it did this`);
        answers = await answersTo(result, answerer, bounds.signal);
        result = await request({ method: "tools/call", params: { name, arguments: input, ...answers }, name, headers }, bounds);
      }
      if (!isListening) onToolsChanged();
      const { content, structuredContent, isError = false } = answer.parse(result);
      return { content, structuredContent, isError };
    },
    ended,
    close: async () => {
      closed.abort();
      await close();
    },
  };
}

const MAX_ROUNDS = 4;
const wanted = z.looseObject({
  inputRequests: z.record(z.string().max(200), z.looseObject({ method: z.string(), params: z.unknown() })).default({}),
  requestState: z.string().optional(),
});

/** What a server wants to know before it goes on, with the state that it gave for itself: both go back with the same call. */
async function answersTo(result: unknown, answerer: Answerer, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
  const { inputRequests, requestState } = wanted.parse(result);
  const inputResponses: Record<string, unknown> = {};
  for (const [key, { method, params }] of Object.entries(inputRequests)) {
    signal.throwIfAborted();
    try {
      inputResponses[key] = await answerer({ method, params });
    } catch (error) {
      // There is no answer that says no to it.
      throw error instanceof AskRefused ? new Error(`it wants ${method} before it does this, which it did not get: ${error.message}`, { cause: error }) : error;
    }
  }
  return { inputResponses, ...(requestState === undefined ? {} : { requestState }) };
}

const LONGEST_LISTENING_MS = 24 * 3_600_000;
