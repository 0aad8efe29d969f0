import { randomBytes } from "node:crypto";
import { createMcpHandler, isInitializeRequest, isLegacyRequest, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import type { ClientRun } from "../../app/run/client-run.ts";
import { AgentError } from "../../base/errors.ts";
import { makeVisibleLine } from "../../base/text.ts";
import { createServing, type Serving, type ServingOptions } from "../mcp/serving.ts";

export type SessionsOptions = ServingOptions & {
  /** Opens a run of its own for each session. */
  readonly open: () => Promise<ClientRun>;
  /** A session that nobody is connected to ends so long after the last request. */
  readonly idleMs: number;
};

/** Whoever speaks the protocol over HTTP, and the runs of their sessions. */
export type Sessions = {
  answer(request: Request, body: unknown): Promise<Response>;
  /** Ends all of them, and closes their sandboxes. */
  end(why: string): Promise<void>;
};

/** Each may hold a sandbox. */
const MAX_SESSIONS = 16;
const ID_BYTES = 32;
const ID_HEADER = "mcp-session-id";
/** An open answer shows so often that it is alive, to proxies in between. */
const KEEP_ALIVE_MS = 15_000;

type Session = {
  readonly serving: Serving;
  /** Whether it holds a run, or one is being opened for it. */
  readonly holdsRun: () => boolean;
  /** Requests that are being answered, those of a client that listens among them. */
  connected: number;
  timer: NodeJS.Timeout | null;
  readonly done: Promise<void>;
};

export function createSessions(options: SessionsOptions): Sessions {
  const { idleMs } = options;
  const sessions = new Map<string, { readonly session: Session; readonly transport: WebStandardStreamableHTTPServerTransport }>();
  const all = new Set<Session>();
  let isOver = false;

  const start = (over: () => void): Session => {
    const { serving, holdsRun, done } = serve(options);
    const session: Session = {
      serving,
      holdsRun,
      connected: 0,
      timer: null,
      done: done.finally(() => {
        all.delete(session);
        if (session.timer !== null) clearTimeout(session.timer);
        over();
      }),
    };
    all.add(session);
    return session;
  };
  const during = async (session: Session, work: () => Promise<Response>): Promise<Response> => {
    if (session.timer !== null) clearTimeout(session.timer);
    session.connected += 1;
    const left = (): void => {
      session.connected -= 1;
      if (session.connected > 0 || session.serving.over.aborted) return;
      session.timer = setTimeout(() => session.serving.end("its client was silent"), idleMs);
    };
    try {
      return whenSent(await work(), left);
    } catch (error) {
      left();
      throw error;
    }
  };

  /** Many clients leave without a word: the one that is not connected makes room, first without a run, then the one that left first. */
  const hasRoom = (): boolean => {
    if (sessions.size < MAX_SESSIONS) return true;
    const left = [...sessions].filter(([, { session }]) => session.connected === 0);
    const [id, idle] = left.find(([, { session }]) => !session.holdsRun()) ?? left[0] ?? [];
    if (id === undefined || idle === undefined) return false;
    sessions.delete(id);
    idle.session.serving.end("another client needed its place");
    return true;
  };

  const opened = async (request: Request, body: unknown): Promise<Response> => {
    if (!hasRoom()) return problem(503, -32_000, `${MAX_SESSIONS} sessions are open; end one, or try again later`);
    const id = randomBytes(ID_BYTES).toString("base64url");
    const session = start(() => void sessions.delete(id));
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: () => session.serving.end("the client ended its session"),
      keepAliveMs: KEEP_ALIVE_MS,
    });
    sessions.set(id, { session, transport });
    const server = session.serving.newServer("sessions");
    await server.connect(transport);
    // Not before what went on was answered.
    void session.done.then(() => server.close()).catch(() => undefined);
    const response = await during(session, () => transport.handleRequest(request, { parsedBody: body }));
    if (!response.ok) session.serving.end("it was not opened");
    return response;
  };

  // Without sessions nothing says which requests belong together: whoever has the token shares one run.
  let shared: Session | null = null;
  const sharedSession = (): Session => {
    if (shared === null || shared.serving.over.aborted) shared = start(() => undefined);
    return shared;
  };
  const requests = createMcpHandler(() => sharedSession().serving.newServer("requests"), { legacy: "reject", keepAliveMs: KEEP_ALIVE_MS });

  return {
    answer: async (request, body) => {
      if (isOver) return problem(503, -32_000, "the server ends");
      if (!(await isLegacyRequest(request, body))) return await during(sharedSession(), () => requests.fetch(request, { parsedBody: body }));
      const id = request.headers.get(ID_HEADER);
      if (id === null) return isInitializeRequest(body) ? await opened(request, body) : problem(400, -32_000, "no session is named, and none is opened");
      const known = sessions.get(id);
      if (known === undefined || known.session.serving.over.aborted) return problem(404, -32_001, "there is no such session; initialize a new one");
      // Whoever was heard last stands last.
      sessions.delete(id);
      sessions.set(id, known);
      return await during(known.session, () => known.transport.handleRequest(request, { parsedBody: body }));
    },
    end: async (why) => {
      isOver = true;
      for (const { serving } of all) serving.end(why);
      await requests.close();
      await Promise.all([...all].map(({ done }) => done));
    },
  };
}

/** A run for one session. It is opened when a tool is first asked for, so that saying hello costs no sandbox. */
function serve({ open, ...options }: SessionsOptions): { readonly serving: Serving; readonly holdsRun: () => boolean; readonly done: Promise<void> } {
  let run: Promise<ClientRun> | null = null;
  const serving = createServing(async () => {
    const opening = open();
    run = opening;
    try {
      return await opening;
    } catch (error) {
      run = null;
      options.say(`no run could be opened: ${told(error)}`);
      throw error;
    }
  }, options);
  const ended = async (): Promise<void> => {
    try {
      const why = await serving.ended();
      await (await run)?.end("done", why);
    } catch (error) {
      options.say(`a session failed: ${told(error)}`);
      await (await run)?.end("failed", error instanceof AgentError ? error.code : "fault").catch((fault: unknown) => options.say(told(fault)));
    }
  };
  return { serving, holdsRun: () => run !== null, done: ended() };
}

/** The same answer; `then` once all of it was taken, or nobody takes it any more. */
function whenSent(response: Response, then: () => void): Response {
  if (response.body === null) {
    then();
    return response;
  }
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  let isOver = false;
  const over = (): void => {
    if (!isOver) then();
    isOver = true;
  };
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          controller.close();
        } catch (error) {
          controller.error(error);
        }
        over();
      },
      cancel: async (reason) => {
        over();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { status: response.status, headers: response.headers });
}

export function problem(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status });
}

function told(error: unknown): string {
  return makeVisibleLine(error instanceof Error ? error.message : "unknown fault").slice(0, 500);
}
