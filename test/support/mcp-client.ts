import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { type CallToolResult, ElicitRequestSchema, type ElicitRequest, type ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished } from "vitest";
import { type Place, WARDER } from "./warder-cli.ts";

/** `text`: the first of its content; `meta`: what Warder says of the call. */
export type ClientAnswer = { readonly isError: boolean; readonly text: string; readonly meta: Readonly<Record<string, unknown>>; readonly structured: unknown };

/** The protocol's own client, with `warder mcp` at its other end. */
export type McpClient = {
  readonly client: Client;
  /** What the server said on standard error. */
  readonly messages: () => string;
  readonly call: (name: string, input: Readonly<Record<string, unknown>>) => Promise<ClientAnswer>;
};

/** `onElicit`: the person at the client; absent: the client cannot ask one. */
export async function mcpClient(
  place: Place,
  argv: readonly string[],
  onElicit?: (request: ElicitRequest["params"]) => Promise<ElicitResult>,
): Promise<McpClient> {
  const env = Object.fromEntries(Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])));
  const transport = new StdioClientTransport({
    command: WARDER,
    args: ["mcp", ...argv],
    cwd: place.workspace,
    env: { ...env, HOME: place.home, WARDER_HOME: place.state, NO_COLOR: "1" },
    stderr: "pipe",
  });
  let messages = "";
  transport.stderr?.on("data", (text: Buffer) => (messages += text.toString()));
  return { ...(await connected(transport, onElicit)), messages: () => messages };
}

/** The same at a server that listens. `terminate` ends its session, as a client does that is done. */
export async function httpMcpClient(
  url: string,
  token: string,
  onElicit?: (request: ElicitRequest["params"]) => Promise<ElicitResult>,
): Promise<Pick<McpClient, "client" | "call"> & { readonly terminate: () => Promise<void> }> {
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization: `Bearer ${token}` } } });
  return { ...(await connected(transport, onElicit)), terminate: () => transport.terminateSession() };
}

async function connected(
  transport: StdioClientTransport | StreamableHTTPClientTransport,
  onElicit: ((request: ElicitRequest["params"]) => Promise<ElicitResult>) | undefined,
): Promise<Pick<McpClient, "client" | "call">> {
  const client = new Client({ name: "a test", version: "1" }, { capabilities: onElicit === undefined ? {} : { elicitation: {} } });
  if (onElicit !== undefined) client.setRequestHandler(ElicitRequestSchema, async ({ params }) => await onElicit(params));
  onTestFinished(() => client.close());
  await client.connect(transport);
  return {
    client,
    call: async (name, input) => {
      const result = (await client.callTool({ name, arguments: { ...input } })) as CallToolResult;
      const [first] = result.content;
      const { isError = false, _meta: meta = {}, structuredContent: structured } = result;
      return { isError, text: first?.type === "text" ? first.text : "", meta, structured };
    },
  };
}
