import { appendAudit } from "../../audit/log/log.ts";
import { systemClock } from "../../base/clock.ts";
import { AgentError } from "../../base/errors.ts";
import { type ConfirmedPin, readPins, writePin } from "../../config/state/mcp-pins.ts";
import { readSettings } from "../../config/settings-file.ts";
import { type Catalogue, readCatalogue } from "../../mcp/catalogue.ts";
import type { Hearing } from "../../mcp/connection.ts";
import { changesOf, type ToolChange } from "../../mcp/difference.ts";
import { serverDigest, toolDigest, type McpServer } from "../../mcp/server.ts";
import type { Records } from "../records/records.ts";
import type { WorkspaceContext } from "../setup/context.ts";
import { pinProblem } from "./servers.ts";
import { connectTo } from "./connect.ts";

/** A server that a person named, and whether its tools are offered to runs. */
export type NamedServer = {
  readonly server: McpServer;
  readonly pin: ConfirmedPin | null;
  /** Why not, as a clause; null: they are. */ readonly problem: string | null;
};

export function namedServers({ store }: Records): readonly NamedServer[] {
  const { directory } = store.paths;
  const pins = readPins(directory);
  return readSettings(directory).mcp.map((server) => {
    const pin = pins.find((each) => each.server === server.name);
    return { server, pin: pin ?? null, problem: pinProblem(server, pin) };
  });
}

/** A server as it is now, beside what was confirmed of it. */
export type SeenServer = NamedServer & { readonly catalogue: Catalogue; readonly changes: readonly ToolChange[] };

/** Who only looks hears nothing, and is asked nothing. */
const DEAF: Hearing = { onToolsChanged: () => undefined, canAsk: false };

/** Starts a server in its sandbox, asks for its tools, and ends it. Throws `usage` for a name that the settings have not, `sandbox-unavailable` where it does not work. */
export async function lookAtServer(records: Records, context: WorkspaceContext, name: string): Promise<SeenServer> {
  const named = namedServers(records).find(({ server }) => server.name === name);
  if (named === undefined)
    throw new AgentError("usage", `The settings name no MCP server ${JSON.stringify(name)}.`, {
      remedy: "See docs/guides/mcp-servers.md, and: warder mcp servers",
    });
  try {
    const connection = await connectTo(named.server, { context, place: { records, runId: null }, hearing: DEAF });
    try {
      const catalogue = readCatalogue(name, await connection.tools(), connection.offers);
      return { ...named, catalogue, changes: named.pin === null ? [] : changesOf(named.pin.tools, catalogue.tools) };
    } finally {
      await connection.close();
    }
  } catch (error) {
    if (error instanceof AgentError) throw error;
    throw new AgentError("sandbox-unavailable", `The MCP server ${name} does not work: ${error instanceof Error ? error.message : "it failed"}`, {
      cause: error,
    });
  }
}

/** Keeps what a person confirmed. Recorded before it counts. */
export function confirmServer({ store, audit }: Records, { server, catalogue }: SeenServer, by: string): void {
  const { directory } = store.paths;
  const digest = serverDigest(server);
  const tools = catalogue.tools.map((tool) => ({ name: tool.name, digest: toolDigest(tool) }));
  appendAudit(audit, { run: null, payload: { kind: "mcp-server-trusted", server: server.name, digest, tools, by } });
  store.exclusively(() => {
    writePin(directory, { server: server.name, digest, tools: catalogue.tools, by, confirmedAt: new Date(systemClock.nowMs()).toISOString() });
  });
}
