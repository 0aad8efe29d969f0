import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { z } from "zod";
import { connectOver, type Connection, type Hearing, type Offers } from "../connection.ts";
import { measureJson } from "../json-size.ts";
import { authorizedFetch } from "./authorized.ts";
import type { SignInStore } from "./sign-in.ts";
import { boundedFetch, type Fetch } from "./bounded.ts";
import { MODERN_VERSION, modernConnection, requester, ServerRefusal, type Requester } from "./modern.ts";

/** The only way to a server at an address. `store`: what a person signed in for. */
export type Reach = { readonly fetched: Fetch; readonly store?: SignInStore; readonly close: () => Promise<void> };

export type HttpServer = { readonly name: string; readonly url: string; /** Of one call. */ readonly timeoutMs: number };

const DISCOVERY_MS = 10_000;
const GREETING_MS = 30_000;
const FAREWELL_MS = 2_000;
const MAX_NESTING = 200;
const MAX_CHARACTERS = 16 * 1024 * 1024;

const discovered = z.looseObject({ supportedVersions: z.array(z.string()).max(100), capabilities: z.looseObject({}).optional() });

/**
 * Greets a server at an address, in the generation that it speaks: one that answers `server/discover` has no sessions, any other one is greeted as before.
 * Rejects, with nothing left, where it does not answer.
 */
export async function connectHttp({ name, url, timeoutMs }: HttpServer, reach: () => Promise<Reach>, hearing: Hearing): Promise<Connection> {
  const { fetched, store, close } = await reach();
  const broken = Promise.withResolvers<string>();
  const counted = boundedFetch(fetched, broken.resolve, timeoutMs + GREETING_MS);
  const bounded = store === undefined ? counted : authorizedFetch(counted, { server: name, url, store });
  const ended = broken.promise.then((why) => ({ why, noise: "" }));
  let closing: Promise<void> | null = null;
  const end = (): Promise<void> => {
    broken.resolve("it was closed");
    return (closing ??= close());
  };
  try {
    const request = requester(url, bounded, hearing.canAsk);
    const found = await discover(request);
    if (found !== null) return modernConnection({ request, ...found, onToolsChanged: hearing.onToolsChanged, ended, close: end });
    const transport = new StreamableHTTPClientTransport(new URL(url), { fetch: sessionFetch(bounded, broken.resolve) });
    const closeSession = async (): Promise<void> => {
      // A server that cannot be told keeps its session until it forgets it.
      const late = setTimeout(broken.resolve, FAREWELL_MS, "it was closed");
      if (transport.sessionId !== undefined) await Promise.race([transport.terminateSession().catch(() => undefined), ended]);
      clearTimeout(late);
      await transport.close();
      await end();
    };
    void ended.then(() => transport.close());
    return await connectOver({ transport, ended, close: closeSession, whyNot: (message) => measureJson(message, LIMITS), end: broken.resolve }, hearing);
  } catch (error) {
    await end();
    throw error;
  }
}

const LIMITS = { maxCharacters: MAX_CHARACTERS, maxDepth: MAX_NESTING };

/** Of the protocol: the server does not take the version that the request names. */
const OTHER_VERSION = -32022;
const UNKNOWN_METHOD = -32601;

/** Null: it does not speak the generation without sessions. One that refuses the version is asked once more: it may have meant an earlier one. */
async function discover(request: Requester, left = 1): Promise<{ readonly isTelling: boolean; readonly offers: Offers } | null> {
  try {
    const read = discovered.safeParse(await request({ method: "server/discover" }, { timeoutMs: DISCOVERY_MS }));
    if (!read.success || !read.data.supportedVersions.includes(MODERN_VERSION)) return null;
    const { tools, resources, prompts } = read.data.capabilities ?? {};
    const isTelling = typeof tools === "object" && tools !== null && "listChanged" in tools && tools.listChanged === true;
    return { isTelling, offers: { resources: resources !== undefined, prompts: prompts !== undefined } };
  } catch (error) {
    if (!(error instanceof ServerRefusal) || error.status === 401 || error.status >= 500) throw error;
    if (error.code === UNKNOWN_METHOD) return await speaksAlone(request);
    return error.code === OTHER_VERSION && left > 0 ? await discover(request, left - 1) : null;
  }
}

/** A server that cannot be asked what it speaks, though it has to: each of its results says of which kind it is, as none of the other generation does. */
async function speaksAlone(request: Requester): Promise<{ readonly isTelling: boolean; readonly offers: Offers } | null> {
  try {
    const listed = await request({ method: "tools/list" }, { timeoutMs: DISCOVERY_MS });
    return typeof listed["resultType"] === "string" ? { isTelling: false, offers: { resources: false, prompts: false } } : null;
  } catch (error) {
    if (error instanceof ServerRefusal) return null;
    throw error;
  }
}

/** A session that the server does not know any more is over: the next call begins another one. */
function sessionFetch(fetched: Fetch, onLost: (why: string) => void): Fetch {
  return async (url, init = {}) => {
    const response = await fetched(url, init);
    if (response.status === 404 && new Headers(init.headers).has("mcp-session-id")) onLost("it does not know its session any more");
    return response;
  };
}
