import { appendAudit } from "../../audit/log/log.ts";
import type { AuditPayload } from "../../audit/entries/entry.ts";
import { storedBeginning } from "../../audit/entries/stored-value.ts";
import { redactFor } from "../../audit/entries/redact.ts";
import { makeVisibleLine } from "../../base/text.ts";
import { type ConfirmedPin, readPins } from "../../config/state/mcp-pins.ts";
import { liveServer, type LiveServer, type ServerEvent } from "../../mcp/live-server.ts";
import { mappingFor } from "../../mcp/mapping.ts";
import { ownName, serverDigest, type McpServer } from "../../mcp/server.ts";
import { serverTool } from "../../mcp/tools.ts";
import type { AnyTool } from "../../tools/registry.ts";
import type { WorkspaceContext } from "../setup/context.ts";
import { connectTo } from "./connect.ts";
import type { ServerPlace } from "./start.ts";

/** What a run has of MCP servers. No server is started before one of its tools is called. */
export type ServersOfRun = {
  readonly tools: readonly AnyTool[];
  /** What a person should know of those that offer nothing. */
  readonly notes: readonly string[];
  close(): Promise<void>;
};

const NONE: ServersOfRun = { tools: [], notes: [], close: () => Promise.resolve() };
const MAX_DETAIL = 1000;

/** The tools of the person's servers, as they were confirmed. `taken`: names that others have. `canAsk`: a person is there whom a server may ask. */
export function serversOfRun(
  servers: readonly McpServer[],
  context: WorkspaceContext,
  place: ServerPlace & { readonly taken: ReadonlySet<string>; readonly canAsk: boolean },
): ServersOfRun {
  if (servers.length === 0) return NONE;
  const pins = readPins(place.records.store.paths.directory);
  const live: LiveServer[] = [];
  const notes: string[] = [];
  const tools = servers.flatMap((server): readonly AnyTool[] => {
    const pin = pins.find((each) => each.server === server.name);
    const problem = pinProblem(server, pin);
    if (problem !== null) notes.push(problem);
    if (problem !== null || pin === undefined) return [];
    const record = recorderOf(server, place);
    const one = liveOf(server, pin, { context, place, record });
    live.push(one);
    const offered = pin.tools.filter(({ name }) => !place.taken.has(ownName(server.name, name)));
    const onAsked = (what: string): void => record({ event: "asked", what });
    const given = { live: one, canAsk: place.canAsk, onAsked };
    return offered.flatMap((tool) => serverTool(server, tool, { ...given, mapping: mappingFor(context.policy, ownName(server.name, tool.name)) }) ?? []);
  });
  return {
    tools,
    notes,
    close: async () => {
      await Promise.all(live.map((each) => each.close()));
    },
  };
}

/** Why nothing of a server may be used, for a person; null: it may. */
export function pinProblem(server: McpServer, pin: ConfirmedPin | undefined): string | null {
  if (pin === undefined) return `the MCP server ${server.name} is not confirmed, so none of its tools is offered. Look at it: warder mcp trust ${server.name}`;
  if (pin.digest === serverDigest(server)) return null;
  return `the MCP server ${server.name} is configured otherwise than it was confirmed, so none of its tools is offered. Look at it: warder mcp trust ${server.name}`;
}

type Record = (event: ServerEvent) => void;

function recorderOf(server: McpServer, { records: { audit }, runId }: ServerPlace): Record {
  return (event) => {
    const detail = storedBeginning(makeVisibleLine(detailOf(server, event)), redactFor(audit), MAX_DETAIL);
    const payload: AuditPayload = { kind: "mcp-server", server: server.name, event: event.event, detail };
    appendAudit(audit, { run: runId, payload });
  };
}

function detailOf(server: McpServer, event: ServerEvent): string {
  switch (event.event) {
    case "started":
      return server.url ?? server.command.join(" ");
    case "ended":
      return event.why;
    case "changed":
      return event.tools.join("; ");
    case "asked":
      return event.what;
  }
}

type Parts = { readonly context: WorkspaceContext; readonly place: ServerPlace & { readonly canAsk: boolean }; readonly record: Record };

function liveOf(server: McpServer, pin: ConfirmedPin, { context, place, record }: Parts): LiveServer {
  return liveServer(server, pin, {
    connect: async (onToolsChanged) => await connectTo(server, { context, place, hearing: { onToolsChanged, canAsk: place.canAsk } }),
    nowMs: () => performance.now(),
    onEvent: record,
  });
}
