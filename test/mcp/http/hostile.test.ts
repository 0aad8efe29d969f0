import type { IncomingMessage, ServerResponse } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { connectHttp } from "../../../src/mcp/http/connect.ts";
import { boundedFetch } from "../../../src/mcp/http/bounded.ts";
import { liveServer, type LiveServer, type ServerEvent } from "../../../src/mcp/live-server.ts";
import { serverDigest } from "../../../src/mcp/server.ts";
import { bodyOf, serve } from "../../support/mcp/http-server.ts";
import { NOTES } from "../server-process.ts";

type Message = { readonly id: number; readonly method: string; readonly params: { readonly name?: string; readonly protocolVersion?: string } };
/** What a hostile server does with a call, in either generation. */
type Deed = (response: ServerResponse, id: number, request: IncomingMessage) => void;

const TOOL = { name: "do", description: "Does it.", inputSchema: { type: "object" }, annotations: {} };
const json = (response: ServerResponse, value: unknown): void =>
  void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));

/** A server by hand, with sessions or without. */
async function hostile(isModern: boolean, deed: Deed, timeoutMs = 300_000): Promise<LiveServer & { readonly events: readonly ServerEvent[] }> {
  const url = await serve((request, response) => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    void bodyOf(request).then((body) => {
      const { id, method, params } = JSON.parse(body) as Message;
      const result = (value: object): void => {
        json(response, { jsonrpc: "2.0", id, result: value });
      };
      if (method === "server/discover") {
        if (isModern) result({ resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} } });
        else response.writeHead(400).end("what?");
      } else if (method === "initialize")
        result({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "x", version: "1" } });
      else if (method === "tools/list") result({ tools: [TOOL] });
      else if (method === "tools/call") deed(response, id, request);
      else response.writeHead(202).end();
    });
  });
  const events: ServerEvent[] = [];
  const server = { ...NOTES, url, timeoutMs };
  const live = liveServer(
    server,
    { server: "notes", digest: serverDigest(server), tools: [TOOL] },
    {
      connect: (onToolsChanged) =>
        connectHttp(server, () => Promise.resolve({ fetched: fetch, close: () => Promise.resolve() }), { onToolsChanged, canAsk: false }),
      nowMs: () => 0,
      onEvent: (event) => events.push(event),
    },
  );
  onTestFinished(() => live.close());
  return { ...live, events };
}

const NEVER = new AbortController().signal;
const ask = async (live: LiveServer): Promise<string> => {
  const called = await live.call({ name: "do" }, {}, { signal: NEVER, onProgress: () => undefined });
  return called.kind === "answered" ? JSON.stringify(called.answer.content) : called.reason;
};

const stream = (response: ServerResponse, text: string): void => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(text);
};
const flood = (response: ServerResponse, text: string): void => {
  const more = (): void => {
    while (!response.destroyed && response.write(text)) continue;
  };
  response.on("drain", more);
  more();
};
const deep = (id: number): string => `{"jsonrpc":"2.0","id":${String(id)},"result":{"content":${"[".repeat(200_000)}${"]".repeat(200_000)}}}`;

const DEEDS: Readonly<Record<string, readonly [Deed, RegExp]>> = {
  "sends a gigabyte of JSON": [
    (response, id) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write(`{"jsonrpc":"2.0","id":${String(id)},"result":{"content":[{"type":"text","text":"`);
      flood(response, "z".repeat(1024 * 1024));
    },
    /longer than 16 MiB|Connection closed|terminated/u,
  ],
  "sends an event without end": [
    (response) => {
      stream(response, "data: ");
      flood(response, "z".repeat(1024 * 1024));
    },
    /longer than 16 MiB|Connection closed|terminated/u,
  ],
  "nests its answer": [
    (response, id) => void response.writeHead(200, { "content-type": "application/json" }).end(deep(id)),
    /nested deeper than 200 levels|Connection closed/u,
  ],
  "nests an event": [
    (response, id) => {
      stream(response, `data: ${deep(id)}\n\n`);
    },
    /nested deeper than 200 levels|Connection closed/u,
  ],
  "answers with a page": [(response) => void response.writeHead(200, { "content-type": "text/html" }).end("<h1>Sign in</h1>"), /HTTP 200|content type/u],
  "answers with what is no message": [(response) => void response.writeHead(200, { "content-type": "application/json" }).end("[1,"), /no message|JSON/u],
  "sends the call elsewhere": [(response) => void response.writeHead(307, { location: "http://127.0.0.1:1/mcp" }).end(), /HTTP 307|[Rr]edirect/u],
  "forgets who it talks to": [(response) => void response.writeHead(401, { "www-authenticate": "Bearer" }).end(), /401|Error POSTing/u],
  "answers somebody else's request": [
    (response, id) => {
      json(response, { jsonrpc: "2.0", id: id + 1000, result: { content: [] } });
    },
    /did not answer in time|timed out|HTTP 200/u,
  ],
  "says nothing": [() => undefined, /did not answer in time|timed out/u],
};

test.each([true, false])("a hostile server at an address costs its call and nothing more (without sessions: %s)", async (isModern) => {
  const outcomes: (readonly [string, string])[] = [];
  // One after the other: client and server share this process, and a flood keeps both from hearing of anything else.
  for (const [name, [deed, expected]] of Object.entries(DEEDS)) {
    const isPatient = !/says nothing|somebody/u.test(name);
    const live = await hostile(isModern, deed, isPatient ? 300_000 : 500);
    const text = await ask(live);
    await live.close();
    outcomes.push([name, expected.test(text) ? "held" : text]);
  }
  expect(Object.fromEntries(outcomes)).toEqual(Object.fromEntries(Object.keys(DEEDS).map((name) => [name, "held"])));
});

test("a server that wants an answer before it does something gets none where nobody is, and what its tools are is asked again before each call", async () => {
  let calls = 0;
  const live = await hostile(true, (response, id) => {
    calls += 1;
    json(response, {
      jsonrpc: "2.0",
      id,
      result: { resultType: "input_required", inputRequests: { a: { method: "elicitation/create", params: { message: "Your password?" } } } },
    });
  });
  expect(await ask(live)).toBe("The MCP server notes did not do it: it wants an answer of yours before it does this, and nobody can be asked here");
  expect(calls).toBe(1);
});

test("a stream that is ended again and again is not opened for ever, and all that a server sends is counted", async () => {
  const faults: string[] = [];
  const limits = { maxMessageBytes: 100, maxBytes: 1000, maxStreams: 3 };
  const answer = (text: string): Promise<Response> => Promise.resolve(new Response(text));
  const few = boundedFetch(
    () => answer("data: x\n\n".repeat(10)),
    (why) => faults.push(why),
    1000,
    limits,
  );
  for (let i = 0; i < 3; i += 1) expect(await (await few("http://a/")).text()).toHaveLength(90);
  await expect(few("http://a/")).rejects.toThrow("it ended its streams again and again");
  const long = boundedFetch(
    () => answer("data: x\r\n".repeat(20)),
    (why) => faults.push(why),
    1000,
    limits,
  );
  await expect((await long("http://a/", { method: "POST" })).text()).rejects.toThrow("16 MiB");
  const much = boundedFetch(
    () => answer("data: x\n\n".repeat(50)),
    (why) => faults.push(why),
    1000,
    limits,
  );
  await (await much("http://a/", { method: "POST" })).text();
  await (await much("http://a/", { method: "POST" })).text();
  await expect((await much("http://a/", { method: "POST" })).text()).rejects.toThrow("more than a server does");
  expect(faults).toEqual(["it ended its streams again and again", "a message of it is longer than 16 MiB", "it sent more than a server does"]);
});
