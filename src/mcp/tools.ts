import { schemaSaidAs } from "../tools/contract/json-schema.ts";
import { defineTool } from "../tools/contract/define.ts";
import { trustedError } from "../tools/contract/result.ts";
import type { Tool } from "../tools/contract/tool.ts";
import { answererOf } from "./asked.ts";
import { descriptionFor } from "./catalogue.ts";
import type { LiveServer } from "./live-server.ts";
import { mappedFault, mappedRequests, type Mapping } from "./mapping.ts";
import { resourceFault } from "./resources.ts";
import { resultOf } from "./result.ts";
import { argumentFault, modelSchema } from "./schema.ts";
import { ownName, type McpServer, type ServerTool } from "./server.ts";

/** Time that starting the server may take beside the call. */
const STARTING_MS = 90_000;

/** `canAsk`: somebody is there who can be asked for what the server wants to know; `onAsked` is told what came of it. */
type Given = { readonly live: LiveServer; readonly mapping: Mapping | null; readonly canAsk: boolean; readonly onAsked: (what: string) => void };

/**
 * A server's tool as a run has it: what a person confirmed, whatever the server says now. Calling it is judged by its name, which the registry sees to, and by
 * what the policy maps its arguments to. Null: its schema is none that is read.
 */
export function serverTool(server: McpServer, tool: ServerTool, given: Given): Tool | null {
  const read = modelSchema(tool.inputSchema);
  if ("reason" in read) return null;
  const { live, mapping, canAsk, onAsked } = given;
  const name = ownName(server.name, tool.name);
  return defineTool({
    name,
    description: descriptionFor(server.name, tool),
    schema: schemaSaidAs(read.schema, name),
    // What a server says of its tools' harmlessness is no reason for anything: the careful defaults hold.
    // A person may take longer to answer than a server may for a call, which has a limit of its own.
    traits: { timeoutMs: canAsk ? "run" : server.timeoutMs + STARTING_MS },
    validate: (input) =>
      argumentFault(read.schema, input) ?? (tool.does === "resources" ? resourceFault(input) : null) ?? (mapping === null ? null : mappedFault(mapping, input)),
    requests: (input, setting) =>
      mapping === null ? [] : mappedRequests(mapping, input, setting, { server: server.name, roots: server.roots, hosts: server.hosts, env: server.env }),
    execute: async (input, { signal, progress, handles }) => {
      const answerer = canAsk ? answererOf({ server: server.name, tool: tool.name, asks: handles.serverAsks, onAsked }) : undefined;
      const called = await live.call(tool, input, { signal, onProgress: progress, answerer });
      return called.kind === "answered" ? resultOf(called.answer) : trustedError(called.reason, { [called.kind]: called.reason });
    },
  }) as Tool;
}
