import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { AgentError } from "../../../src/base/errors.ts";
import { startHttpServer } from "../../../src/serve/http/server.ts";

const TOKEN = "t".repeat(43);
const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "a test", version: "1" } },
};
const LIST = { jsonrpc: "2.0", id: 2, method: "tools/list", params: {} };
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "a test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

type Served = { readonly port: number; readonly url: string; readonly said: readonly string[] };
type Sent = { readonly status: number; readonly text: string; readonly headers: Readonly<Record<string, unknown>> };

/** A server whose runs cannot be opened: it shows whatever never gets that far. */
async function served(times: { idleMs?: number; headMs?: number; requestMs?: number } = {}): Promise<Served> {
  const said: string[] = [];
  const server = await startHttpServer({
    listen: { host: "127.0.0.1", port: 0 },
    token: TOKEN,
    names: ["box.example"],
    open: () => Promise.reject(new AgentError("bad-configuration", "There is no engine.")),
    idleMs: 60_000,
    version: "1",
    mayElicit: true,
    say: (text) => said.push(text),
    ...times,
  });
  onTestFinished(() => server.close("the test ends"));
  return { url: server.url, port: Number(new URL(server.url).port), said };
}

async function send(
  { port }: Served,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  more: { method?: string; path?: string } = {},
): Promise<Sent> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const known = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", accept: "application/json, text/event-stream", ...headers };
  const kept = Object.fromEntries(Object.entries(known).filter(([, value]) => value !== ""));
  return await new Promise((resolve, reject) => {
    const request = httpRequest({ host: "127.0.0.1", port, method: "POST", path: "/mcp", ...more, headers: kept, agent: false }, (response) => {
      let received = "";
      response.setEncoding("utf8").on("data", (part: string) => (received += part));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text: received, headers: response.headers }));
    });
    request.on("error", reject);
    request.end(more.method === undefined ? text : undefined);
  });
}

async function opened(server: Served): Promise<{ "mcp-session-id": string; "mcp-protocol-version": string }> {
  const { headers } = await send(server, INITIALIZE);
  return { "mcp-session-id": String(headers["mcp-session-id"]), "mcp-protocol-version": "2025-11-25" };
}

/** Opens the stream of the server's messages, until the test ends. */
async function listen({ port }: Served, session: Readonly<Record<string, string>>): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const headers = { authorization: `Bearer ${TOKEN}`, accept: "text/event-stream", ...session };
    const request = httpRequest({ host: "127.0.0.1", port, path: "/mcp", headers, agent: false }, (response) => {
      if (response.statusCode === 200) resolve();
      else reject(new Error(`the stream is refused: ${String(response.statusCode)}`));
    });
    request.on("error", reject);
    onTestFinished(() => void request.destroy());
    request.end();
  });
}

describe("MCP over HTTP", () => {
  test("lets in who has the token, and calls this machine by its name; no page of another origin", async () => {
    const server = await served();
    const refused = async (headers: Readonly<Record<string, string>>): Promise<number> => (await send(server, INITIALIZE, headers)).status;
    for (const authorization of [
      "",
      "Bearer",
      `Bearer ${TOKEN}x`,
      `Bearer ${TOKEN.slice(1)}`,
      `Basic ${TOKEN}`,
      `Bearer ${TOKEN} ${TOKEN}`,
      `Bearer ${"x".repeat(5_000)}`,
    ])
      expect(await refused({ authorization })).toBe(401);
    expect((await send(server, INITIALIZE, { authorization: "" })).headers["www-authenticate"]).toBe('Bearer realm="warder"');
    for (const host of ["evil.example", `evil.example:${server.port}`, "127.0.0.1", `127.0.0.1:${server.port + 1}`, `localhost.evil.example:${server.port}`])
      expect(await refused({ host })).toBe(421);
    for (const origin of ["https://evil.example", "null", "file://", "http://127.0.0.1", `http://localhost:${server.port}.evil.example`, "x".repeat(1_000)])
      expect(await refused({ origin })).toBe(403);
    for (const site of ["cross-site", "same-site"]) expect(await refused({ "sec-fetch-site": site })).toBe(403);
    for (const host of [`127.0.0.1:${server.port}`, `LOCALHOST:${server.port}`, `[::1]:${server.port}`, `box.example:${server.port}`])
      expect(await refused({ host, origin: `http://${host}` })).toBe(200);
  });

  test("takes JSON of a call's size at one path, and nothing else", async () => {
    const server = await served();
    expect((await send(server, INITIALIZE, {}, { path: "/", method: "GET" })).status).toBe(404);
    for (const method of ["PUT", "PATCH", "OPTIONS"]) expect((await send(server, "", {}, { method })).status).toBe(405);
    for (const type of ["text/plain", "multipart/form-data", "application/json-seq"])
      expect((await send(server, INITIALIZE, { "content-type": type })).status).toBe(415);
    expect((await send(server, INITIALIZE, { "content-encoding": "gzip" })).status).toBe(415);
    for (const text of ["", "{", "\uFFFF", "[".repeat(100_000)]) expect((await send(server, text)).status).toBe(400);
    for (const value of [null, 7, [], {}, [INITIALIZE, INITIALIZE]]) expect((await send(server, value)).status).toBe(400);
    expect((await send(server, "{}", { "content-length": String(5 * 1024 * 1024) })).status).toBe(413);
    expect((await send(server, "x".repeat(4 * 1024 * 1024 + 1), { "transfer-encoding": "chunked" })).status).toBe(413);
  });

  test("closes on a client that sends its request byte by byte, and still serves others", { timeout: 60_000 }, async () => {
    const heads = await served({ headMs: 300, requestMs: 600_000 });
    const bodies = await served({ headMs: 300, requestMs: 600 });
    const closed = async ({ port }: Served, text: string): Promise<void> =>
      await new Promise((resolve) => {
        const socket = connect(port, "127.0.0.1", () => socket.write(text));
        socket.on("close", () => resolve()).on("error", () => undefined);
        socket.resume();
      });
    const head = `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:${bodies.port}\r\nauthorization: Bearer ${TOKEN}\r\ncontent-type: application/json\r\ncontent-length: 500\r\n`;
    const slow = Promise.all([closed(heads, "POST /m"), closed(heads, head), closed(bodies, `${head}\r\n{`)]);
    for (const server of [heads, bodies]) expect((await send(server, INITIALIZE)).status).toBe(200);
    await expect(slow).resolves.toHaveLength(3);
  });

  test("opens a bounded number of sessions, and each ends by its client's word or silence", async () => {
    const server = await served();
    const sessions = await Promise.all(Array.from({ length: 16 }, async () => await opened(server)));
    expect(new Set(sessions.map((session) => session["mcp-session-id"])).size).toBe(16);
    const [first = { "mcp-session-id": "", "mcp-protocol-version": "" }, ...others] = sessions;
    expect((await send(server, LIST, { ...first, "mcp-session-id": "x".repeat(43) })).status).toBe(404);
    expect((await send(server, LIST, { ...first, "mcp-session-id": "" })).status).toBe(400);
    expect((await send(server, "", first, { method: "DELETE" })).status).toBe(200);
    expect((await send(server, LIST, first)).status).toBe(404);
    // Clients that left without a word make room; those that listen do not.
    await opened(server);
    const next = await opened(server);
    const [oldest, ...listening] = [...others, next];
    expect((await send(server, LIST, oldest)).status).toBe(404);
    for (const session of listening) await listen(server, session);
    await listen(server, await opened(server));
    expect((await send(server, INITIALIZE)).status).toBe(503);

    const impatient = await served({ idleMs: 50 });
    const session = await opened(impatient);
    await expect.poll(async () => (await send(impatient, LIST, session)).status, { interval: 200 }).toBe(404);
  });

  test("says why no run could be opened, in both generations, and tries again at the next call", async () => {
    const server = await served();
    const session = await opened(server);
    expect((await send(server, LIST, session)).text).toContain("There is no engine.");
    const discover = { jsonrpc: "2.0", id: 1, method: "server/discover", params: { _meta: META } };
    const modern = { "mcp-protocol-version": "2026-07-28" };
    expect((await send(server, discover, { ...modern, "mcp-method": "server/discover" })).text).toContain('"supportedVersions":["2026-07-28"]');
    const list = { ...LIST, params: { _meta: META } };
    expect((await send(server, list, { ...modern, "mcp-method": "tools/list" })).text).toContain("There is no engine.");
    expect((await send(server, list, { ...modern, "mcp-method": "tools/call" })).status).toBe(400);
    expect(server.said.filter((text) => text.includes("no run could be opened"))).toHaveLength(2);
  });
});
