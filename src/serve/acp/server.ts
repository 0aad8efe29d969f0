import type { Readable, Writable } from "node:stream";
import { agent, type AgentContext, methods, ndJsonStream, PROTOCOL_VERSION, RequestError } from "@agentclientprotocol/sdk";
import { conversationOf } from "../../app/conversation/replay.ts";
import { contextOf } from "../../app/conversation/task.ts";
import { modelsOfNewRun } from "../../app/models/configured.ts";
import { readContext, realDirectory, type WorkspaceContext } from "../../app/setup/context.ts";
import { AgentError } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import { makeVisible, makeVisibleLine } from "../../base/text.ts";
import { wordsOf } from "./prompt-words.ts";
import { createSession, DEFAULT_POLICY, type Named, type Session } from "./session.ts";
import { pacedBytes, sink } from "./streams.ts";
import { replayed } from "./updates.ts";

export type ServeOptions = {
  readonly input: Readable;
  readonly output: Writable;
  /** Ends it. */
  readonly signal: AbortSignal;
  readonly version: string;
  readonly named: Named;
  /** Whether the editor's person may answer questions there. */
  readonly mayAnswer: boolean;
  /** Says something to whoever reads the process's messages. */
  readonly say: (text: string) => void;
};

/** A longer message ends the connection: no prompt is as long, with all the images that it may have. */
const MAX_MESSAGE_BYTES = 12 * 1024 * 1024;
const MAX_SESSIONS = 1_000;
/** Each has a sandbox. */
const MAX_AT_WORK = 8;

/**
 * Serves an editor at the other end of two streams, until its end of them closes, a message is too long, or the signal fires. Returns why it ended, once no
 * run goes on. Throws a fault of Warder's own, which ends it.
 */
export async function serveAcp({ input, output, signal, version, named, mayAnswer, say }: ServeOptions): Promise<string> {
  const over = new AbortController();
  const fault = Promise.withResolvers<never>();
  fault.promise.catch(() => undefined);
  const sessions = new Map<string, Session>();
  const open = new Set<Promise<unknown>>();
  let why = "";
  const end = (reason: string): void => {
    if (over.signal.aborted) return;
    why = reason;
    over.abort();
  };

  const add = (client: AgentContext, runId: string, context: WorkspaceContext): void => {
    if (sessions.size >= MAX_SESSIONS && !sessions.has(runId))
      throw RequestError.invalidRequest(undefined, `there are ${String(MAX_SESSIONS)} sessions: start the agent again`);
    const session = createSession(runId, context, named, {
      update: (update) => client.notify(methods.client.session.update, { sessionId: runId, update }).catch(() => undefined),
      ask: async (permission, unneeded) =>
        await client.request(
          methods.client.session.requestPermission,
          { sessionId: runId, ...permission },
          { cancellationSignal: unneeded, stopWaitingOnCancel: true },
        ),
      mayAnswer,
      say,
    });
    sessions.set(runId, session);
  };
  /** What goes wrong is told in words; what only a fault of Warder's own can be ends all of it. */
  const told = async <T>(work: () => T | Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof RequestError) throw error;
      if (error instanceof AgentError) throw requestError(error);
      fault.reject(error);
      end("failed");
      throw new RequestError(-32_603, "Warder failed, so this connection ends. Its messages say why.");
    }
  };
  const sessionOf = (id: string): Session => {
    const session = sessions.get(id);
    if (session === undefined) throw RequestError.sessionNotFound(id);
    return session;
  };
  const noteServers = (servers: readonly unknown[]): void => {
    if (servers.length > 0) say("the editor's MCP servers are not started: name those that a run may use in Warder's settings");
  };

  const app = agent({ name: "warder" })
    .onRequest(methods.agent.initialize, () => ({
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: "warder", title: "Warder", version },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, audio: false, embeddedContext: false },
        mcpCapabilities: { http: false, sse: false },
      },
      authMethods: [],
    }))
    .onRequest(methods.agent.authenticate, () => {
      throw RequestError.invalidRequest(undefined, "nobody signs in here: models and their keys are named in Warder's settings (warder init)");
    })
    .onRequest(
      methods.agent.session.new,
      async ({ params, client }) =>
        await told(() => {
          modelsOfNewRun(named.model);
          const context = readContext(named.policy ?? DEFAULT_POLICY, absolute(params.cwd));
          const sessionId = newId("run");
          add(client, sessionId, context);
          noteServers(params.mcpServers);
          return { sessionId };
        }),
    )
    .onRequest(
      methods.agent.session.load,
      async ({ params: { sessionId, cwd, mcpServers }, client }) =>
        await told(async () => {
          if (sessions.get(sessionId)?.isAtWork() === true) throw RequestError.invalidRequest(undefined, "this session is at work here");
          const context = contextOf(sessionId, named.policy);
          if (realDirectory(absolute(cwd)) !== context.workspace)
            throw new AgentError("usage", `${makeVisibleLine(sessionId)} is a run of ${context.workspace}, and not of ${makeVisibleLine(cwd)}.`);
          const said = conversationOf(sessionId);
          add(client, sessionId, context);
          noteServers(mcpServers);
          for (const update of said.flatMap((each) => replayed(each, context))) await client.notify(methods.client.session.update, { sessionId, update });
          return {};
        }),
    )
    .onRequest(
      methods.agent.session.prompt,
      async ({ params, signal: cancelled }) =>
        await told(async () => {
          const session = sessionOf(params.sessionId);
          const words = wordsOf(params.prompt);
          if (!session.isAtWork() && [...sessions.values()].filter((each) => each.isAtWork()).length >= MAX_AT_WORK)
            throw RequestError.invalidRequest(undefined, `${String(MAX_AT_WORK)} sessions are at work: wait for one of them`);
          const work = session.prompt(words, AbortSignal.any([cancelled, over.signal]));
          open.add(work);
          return await work.finally(() => open.delete(work));
        }),
    )
    .onNotification(methods.agent.session.cancel, ({ params }) => sessions.get(params.sessionId)?.cancel());

  const connection = app.connect(ndJsonStream(sink(output), pacedBytes(input, output), { maxMessageBytes: MAX_MESSAGE_BYTES }));
  void connection.closed.then(() => end(reasonOf(connection.signal)));
  const interrupted = (): void => end("it was stopped");
  signal.addEventListener("abort", interrupted, { once: true });
  if (signal.aborted) interrupted();
  try {
    await aborted(over.signal);
    await Promise.allSettled(open);
    return await Promise.race([fault.promise, Promise.resolve(why)]);
  } finally {
    signal.removeEventListener("abort", interrupted);
    connection.close();
    input.destroy();
  }
}

function absolute(cwd: string): string {
  if (cwd.startsWith("/")) return cwd;
  throw RequestError.invalidParams(undefined, "cwd is the absolute path of the workspace");
}

function requestError({ code, problem, remedy }: AgentError): RequestError {
  const isTheirs = code === "usage" || code === "bad-policy" || code === "bad-configuration";
  return new RequestError(isTheirs ? -32_602 : -32_603, makeVisible(remedy === null ? problem : `${problem}\n${remedy}`));
}

function reasonOf({ reason }: AbortSignal): string {
  return reason instanceof Error && reason.name === "MessageTooLargeError" ? "a message was too long" : "the editor closed its end";
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
