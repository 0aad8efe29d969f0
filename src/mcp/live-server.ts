import { makeVisibleLine } from "../base/text.ts";
import { readCatalogue } from "./catalogue.ts";
import type { CallAnswer, CallOptions, Connection } from "./connection.ts";
import { changesOf, changeText, type ToolChange } from "./difference.ts";
import { readResources } from "./resources.ts";
import type { McpServer, Pin, ServerTool } from "./server.ts";

/** `refused`: nothing was asked of the server; the reason is a sentence. */
export type ServerCall = { readonly kind: "answered"; readonly answer: CallAnswer } | { readonly kind: "refused" | "failed"; readonly reason: string };

/** What is recorded of a server in a run. */
export type ServerEvent =
  | { readonly event: "started" }
  | { readonly event: "ended"; readonly why: string }
  | { readonly event: "changed"; readonly tools: readonly string[] }
  /** It asked for something in return of a call. */
  | { readonly event: "asked"; readonly what: string };

export type LiveParts = {
  /** Starts it and greets it. Rejects where it does not start. */
  readonly connect: (onToolsChanged: () => void) => Promise<Connection>;
  readonly nowMs: () => number;
  readonly onEvent: (event: ServerEvent) => void;
};

/** A server of a run: started with the first call, started again where it died, and never the run's end. */
export type LiveServer = {
  call(
    tool: Pick<ServerTool, "name" | "does"> & Partial<ServerTool>,
    input: Readonly<Record<string, unknown>>,
    options: Omit<CallOptions, "timeoutMs" | "inputSchema">,
  ): Promise<ServerCall>;
  close(): Promise<void>;
};

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** In a row, without an answer between them. */
const MAX_FAILURES = 5;

type Open = { readonly connection: Connection; readonly changes: ReadonlyMap<string, ToolChange> };

export function liveServer(server: McpServer, pin: Pin, { connect, nowMs, onEvent }: LiveParts): LiveServer {
  let opening: Promise<Open> | null = null;
  let current: Connection | null = null;
  let isStale = false;
  let failures = 0;
  let notBeforeMs = 0;
  let isClosed = false;
  const name = `The MCP server ${server.name}`;

  const left: Promise<void>[] = [];

  const failed = (why: string): void => {
    if (current !== null) left.push(current.close());
    opening = null;
    current = null;
    failures += 1;
    notBeforeMs = nowMs() + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1));
    onEvent({ event: "ended", why });
  };

  const compared = async (connection: Connection): Promise<Open["changes"]> => {
    const { tools } = readCatalogue(server.name, await connection.tools(), connection.offers);
    const changes = changesOf(pin.tools, tools);
    if (changes.length > 0) onEvent({ event: "changed", tools: changes.map((change) => changeText(change)) });
    return new Map(changes.map((change) => [change.tool, change]));
  };

  const open = async (): Promise<Open> => {
    const connection = await connect(() => {
      isStale = true;
    });
    onEvent({ event: "started" });
    try {
      const changes = await compared(connection);
      current = connection;
      void connection.ended.then(({ why, noise }) => {
        if (!isClosed && current === connection) failed(noise.trim() === "" ? why : `${why}; it said: ${noise.trim()}`);
      });
      return { connection, changes };
    } catch (error) {
      await connection.close();
      throw error;
    }
  };

  const ready = async (): Promise<Open | { readonly reason: string }> => {
    if (opening === null) {
      if (failures >= MAX_FAILURES) return { reason: `${name} failed ${String(failures)} times and is left alone for the rest of this run.` };
      const waitMs = notBeforeMs - nowMs();
      if (waitMs > 0) return { reason: `${name} ended. It is started again by a call in ${String(Math.ceil(waitMs / 1000))} seconds.` };
      opening = open();
    }
    const mine = opening;
    try {
      const { connection, changes } = await mine;
      if (!isStale) return { connection, changes };
      isStale = false;
      const again = { connection, changes: await compared(connection) };
      if (opening === mine) opening = Promise.resolve(again);
      return again;
    } catch (error) {
      const why = error instanceof Error ? error.message : "it failed";
      if (opening === mine) failed(why);
      return { reason: `${name} could not be used: ${makeVisibleLine(why.slice(0, 500))}` };
    }
  };

  return {
    call: async ({ name: tool, does, inputSchema }, input, options) => {
      const { signal } = options;
      if (isClosed) return { kind: "failed", reason: `${name} was closed.` };
      const open = await ready();
      if ("reason" in open) return { kind: "failed", reason: open.reason };
      const change = open.changes.get(tool);
      if (change !== undefined)
        return {
          kind: "refused",
          reason: `${name} is not as a person confirmed it: ${changeText(change)}. The tool is not called until somebody looks at it: warder mcp trust ${server.name}`,
        };
      try {
        const { connection } = open;
        const bounded = { ...options, inputSchema, timeoutMs: server.timeoutMs };
        const answer = does === "resources" ? await readResources(connection, input, bounded) : await connection.call(tool, input, bounded);
        failures = 0;
        return { kind: "answered", answer };
      } catch (error) {
        if (signal.aborted) return { kind: "failed", reason: "Cancelled." };
        const why = error instanceof Error ? error.message : "it failed";
        // Who does not answer in time is not asked again as it is.
        if (isTimeout(error)) {
          if (current === open.connection) failed("it did not answer in time");
        }
        return { kind: "failed", reason: `${name} did not do it: ${makeVisibleLine(why.slice(0, 1000))}` };
      }
    },
    close: async () => {
      isClosed = true;
      const last = opening;
      opening = null;
      const still = await last?.catch(() => null);
      await Promise.all([...left, still?.connection.close()]);
    },
  };
}

/** The protocol's own number for it (`ErrorCode.RequestTimeout`). */
const isTimeout = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === -32001;
