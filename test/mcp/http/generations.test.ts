import { randomUUID } from "node:crypto";
import { Server as SessionServer } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";
import { expect, onTestFinished, test } from "vitest";
import type { Connection } from "../../../src/mcp/connection.ts";
import { connectHttp } from "../../../src/mcp/http/connect.ts";
import { serveFetch } from "../../support/mcp/http-server.ts";
import { until } from "../../support/until.ts";

const string = { type: "string" };
const TOOLS = [{ name: "echo", description: "Says it.", inputSchema: { type: "object" as const, properties: { text: string } } }];
const said = (text: string): { content: { type: "text"; text: string }[] } => ({ content: [{ type: "text", text }] });

async function connected(url: string, onToolsChanged = (): void => undefined, canAsk = false): Promise<Connection> {
  const connection = await connectHttp({ name: "notes", url, timeoutMs: 300_000 }, () => Promise.resolve({ fetched: fetch, close: () => Promise.resolve() }), {
    onToolsChanged,
    canAsk,
  });
  onTestFinished(() => connection.close());
  return connection;
}

const call = (connection: Connection, tool: string, onProgress = (_text: string): void => undefined, signal = new AbortController().signal) =>
  connection.call(tool, { text: "hello" }, { signal, timeoutMs: 300_000, onProgress });

test("a server without sessions is found out by asking: its tools, progress, changes, refusals, and a call that is cancelled", async () => {
  const methods: string[] = [];
  let cancelled = 0;
  const handler = createMcpHandler(
    () => {
      const server = new Server({ name: "notes", version: "1" }, { capabilities: { tools: { listChanged: true } } });
      server.setRequestHandler("tools/list", () => ({ tools: TOOLS }));
      server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
        if (params.name === "wait") {
          await new Promise((resolve) => {
            mcpReq.signal.addEventListener("abort", resolve);
          });
          cancelled += 1;
        }
        if (params.name === "no") throw new Error("there is no such note");
        const progressToken = params._meta?.progressToken;
        if (progressToken !== undefined) await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress: 1, message: "half" } });
        return said(`${params.name} ${JSON.stringify(params.arguments)}`);
      });
      return server;
    },
    { legacy: "reject" },
  );
  onTestFinished(() => handler.close());
  const url = await serveFetch(async (request) => {
    methods.push(request.headers.get("mcp-method") ?? request.method);
    return await handler.fetch(request);
  });
  let changes = 0;
  const notes = await connected(url, () => (changes += 1));
  expect(await notes.tools()).toMatchObject(TOOLS);
  const progress: string[] = [];
  expect(await call(notes, "echo", (text) => progress.push(text))).toEqual({
    content: said('echo {"text":"hello"}').content,
    structuredContent: undefined,
    isError: false,
  });
  expect(progress).toEqual(["half"]);
  await expect(call(notes, "no")).rejects.toThrow(/no such note/u);
  expect(await call(notes, "ünïcode")).toMatchObject({ isError: false });
  expect(methods).toEqual(expect.arrayContaining(["server/discover", "tools/list", "subscriptions/listen", "tools/call"]));
  expect(changes).toBe(0);
  await until("the change is told", () => {
    handler.notify.toolsChanged();
    return changes > 0;
  });
  const stop = new AbortController();
  const waiting = call(notes, "wait", undefined, stop.signal);
  await until("it is asked", () => methods.filter((method) => method === "tools/call").length === 4);
  stop.abort();
  await expect(waiting).rejects.toThrow(/abort/u);
  await until("the server hears of it", () => cancelled === 1);
});

test("a server with sessions is greeted as before, ends its session at the end, and is begun anew where it forgot it", async () => {
  const methods: string[] = [];
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const url = await serveFetch(async (request) => {
    methods.push(request.method);
    const known = sessions.get(request.headers.get("mcp-session-id") ?? "");
    if (known !== undefined) return await known.handleRequest(request);
    if (request.headers.has("mcp-session-id")) return new Response("no such session", { status: 404 });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    const server = new SessionServer({ name: "notes", version: "1" }, { capabilities: { tools: { listChanged: true } } });
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: TOOLS }));
    server.setRequestHandler(CallToolRequestSchema, async ({ params }, { sendNotification }) => {
      const progressToken = params._meta?.progressToken;
      if (progressToken !== undefined) await sendNotification({ method: "notifications/progress", params: { progressToken, progress: 1, message: "half" } });
      return said(`${params.name} ${JSON.stringify(params.arguments)}`);
    });
    await server.connect(transport);
    return await transport.handleRequest(request);
  });
  const notes = await connected(url);
  expect(await notes.tools()).toMatchObject(TOOLS);
  const progress: string[] = [];
  expect(await call(notes, "echo", (text) => progress.push(text))).toMatchObject({ content: said('echo {"text":"hello"}').content });
  expect(progress).toEqual(["half"]);
  await notes.close();
  expect(methods).toContain("DELETE");
  const other = await connected(url);
  sessions.clear();
  await expect(call(other, "echo")).rejects.toThrow(/no such session|closed/u);
  expect(await other.ended).toEqual({ why: "it does not know its session any more", noise: "" });
});
