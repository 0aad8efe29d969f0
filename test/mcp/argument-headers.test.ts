import { createMcpHandler, Server } from "@modelcontextprotocol/server";
import { expect, onTestFinished, test } from "vitest";
import { argumentHeaders, declaredHeaders } from "../../src/mcp/argument-headers.ts";
import { readCatalogue } from "../../src/mcp/catalogue.ts";
import { connectHttp } from "../../src/mcp/http/connect.ts";
import { modelSchema } from "../../src/mcp/schema.ts";
import { serveFetch } from "../support/mcp/http-server.ts";

const of = (properties: Readonly<Record<string, unknown>>, more: Readonly<Record<string, unknown>> = {}) => ({ type: "object" as const, properties, ...more });
const wanted = (header: unknown, type: unknown = "string") => ({ type, "x-mcp-header": header });
const SCHEMA = of({ region: wanted("Region"), at: of({ count: wanted("Count", "integer"), sure: wanted("Sure", "boolean") }), words: { type: "string" } });

test("arguments that a tool wants in headers are sent there as well, and no others", () => {
  expect(argumentHeaders(SCHEMA, { region: "eu", at: { count: 3, sure: false }, words: "x" })).toEqual({
    "mcp-param-region": "eu",
    "mcp-param-count": "3",
    "mcp-param-sure": "false",
  });
  expect(argumentHeaders(SCHEMA, { region: null, at: { count: 2 ** 60 } })).toEqual({});
  for (const region of ["ünï", " eu", "eu\r\nAuthorization: x", "=?base64?eA==?=", ""])
    expect(argumentHeaders(SCHEMA, { region })).toEqual({ "mcp-param-region": `=?base64?${Buffer.from(region).toString("base64")}?=` });
  expect(modelSchema(SCHEMA)).toMatchObject({ schema: { properties: { region: { type: "string" } } } });
  expect(JSON.stringify(modelSchema(SCHEMA))).not.toContain("x-mcp-header");
});

test("a tool whose headers are declared wrongly is not offered", () => {
  const BAD: readonly unknown[] = [
    of({ a: wanted("") }),
    of({ a: wanted("A b") }),
    of({ a: wanted("A:\r\nb") }),
    of({ a: wanted(7) }),
    of({ a: wanted("A", "number") }),
    of({ a: wanted("A", "object") }),
    of({ a: wanted("A"), b: wanted("a") }),
    of({ a: { type: "array", items: wanted("A") } }),
    of({ a: { anyOf: [wanted("A")] } }),
    of({}, { "x-mcp-header": "A" }),
    of({ a: { $ref: "#/$defs/a" } }, { $defs: { a: wanted("A") } }),
  ];
  for (const inputSchema of BAD) {
    expect(declaredHeaders(inputSchema as typeof SCHEMA), JSON.stringify(inputSchema)).toHaveProperty("reason");
    expect(readCatalogue("notes", [{ name: "a", inputSchema }]).tools).toEqual([]);
  }
  expect(declaredHeaders(of({ "x-mcp-header": { type: "string" } }))).toEqual([]);
});

test("a server without sessions that compares headers with arguments takes the call, also one that does not know server/discover", async () => {
  const handler = createMcpHandler(
    () => {
      const server = new Server({ name: "notes", version: "1" }, { capabilities: { tools: {} } });
      server.setRequestHandler("tools/list", () => ({ tools: [{ name: "where", inputSchema: SCHEMA as { readonly type: "object" } }] }));
      server.setRequestHandler("tools/call", ({ params }) => ({ content: [{ type: "text" as const, text: JSON.stringify(params.arguments) }] }));
      return server;
    },
    { legacy: "reject" },
  );
  onTestFinished(() => handler.close());
  const sent: (string | null)[] = [];
  const url = await serveFetch(async (request) => {
    const body = (await request.clone().json()) as { readonly id: number; readonly method: string };
    if (body.method === "server/discover")
      return Response.json({ jsonrpc: "2.0", id: body.id, error: { code: -32601, message: "Method not found" } }, { status: 404 });
    if (body.method === "tools/call") sent.push(request.headers.get("mcp-param-region"));
    return await handler.fetch(request);
  });
  const connection = await connectHttp({ name: "notes", url, timeoutMs: 300_000 }, () => Promise.resolve({ fetched: fetch, close: () => Promise.resolve() }), {
    onToolsChanged: () => undefined,
    canAsk: false,
  });
  onTestFinished(() => connection.close());
  const within = { signal: new AbortController().signal, timeoutMs: 300_000, onProgress: () => undefined };
  const { content } = await connection.call("where", { region: "eu", at: { count: 1 } }, { ...within, inputSchema: SCHEMA });
  expect(content).toEqual([{ type: "text", text: '{"region":"eu","at":{"count":1}}' }]);
  expect(sent).toEqual(["eu"]);
});
