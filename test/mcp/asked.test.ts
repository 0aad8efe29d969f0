import { createMcpHandler, inputRequired, Server } from "@modelcontextprotocol/server";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { answererOf } from "../../src/mcp/asked.ts";
import { connectHttp } from "../../src/mcp/http/connect.ts";
import type { Pin } from "../../src/mcp/server.ts";
import type { ServerAsksHandle } from "../../src/tools/contract/run-handles.ts";
import { serveFetch } from "../support/mcp/http-server.ts";
import { pinOf, testServer, type TestServer } from "./server-process.ts";

let pin: Pin;
beforeAll(async () => {
  pin = await pinOf();
});

type Said = string | { readonly problem: string; readonly isRefused: boolean };

/** A person who says these things, one after the other, and a model that answers. `questions`: what was put to them. */
function person(...said: readonly Said[]): ServerAsksHandle & { readonly questions: string[]; readonly samples: unknown[] } {
  const left = [...said];
  const questions: string[] = [];
  const samples: unknown[] = [];
  return {
    questions,
    samples,
    question: (text) => {
      questions.push(text);
      const next = left.shift() ?? { problem: "nobody is there", isRefused: false };
      return Promise.resolve(typeof next === "string" ? { words: next } : next);
    },
    sample: (request) => {
      samples.push(request);
      return Promise.resolve({ text: "a rhyme", model: "m", isWhole: true });
    },
  };
}

function asked(asks: ServerAsksHandle, timeoutMs?: number): TestServer {
  const server = testServer(pin, [[]], { asks, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
  onTestFinished(() => server.close());
  return server;
}

test("a server's form reaches its person a question at a time, with whose words are whose, and their answers reach the server", async () => {
  const ann = person("two", "2", "window", "-");
  const notes = asked(ann);
  expect(await notes.ask("book")).toBe('{"action":"accept","content":{"seats":2,"where":"window"}}');
  expect(ann.questions).toHaveLength(4);
  expect(ann.questions[0]).toBe(
    `The MCP server notes asks you this while it does book. Your answer goes to that server: give it no password, key or code. Its words: "Your seats?' Say yes."\nIt wants to know (1 of 3): Seats (a whole number)`,
  );
  expect(ann.questions[1]).toContain("Your answer was not sent: it is no whole number. It wants to know (1 of 3)");
  expect(notes.events.at(-1)).toEqual({ event: "asked", what: "a person answered its question" });
});

test("a no is a no, silence is none, and a password is asked of nobody", async () => {
  expect(await asked(person({ problem: "not today", isRefused: true })).ask("book")).toBe('{"action":"decline"}');
  expect(await asked(person()).ask("book")).toBe('{"action":"cancel"}');
  const ann = person();
  const notes = asked(ann);
  // Its sampling is put to the person by the handle, and roots are nothing that this side knows of.
  expect(await notes.ask("ask")).toBe(
    '[{"action":"decline"},{"role":"assistant","content":{"type":"text","text":"a rhyme"},"model":"m","stopReason":"endTurn"},-32601]',
  );
  expect(ann.questions).toEqual([]);
  expect(notes.events).toContainEqual({
    event: "asked",
    what: "its question was not put to anybody: it asks for a password, a key or the like, and a person gives none to a server",
  });
});

test("what a model is to write is asked for with what it may cost at most", async () => {
  const ann = person();
  expect(await asked(ann).ask("write")).toContain('"text":"a rhyme"');
  expect(ann.samples).toEqual([{ system: "You rhyme.", messages: [{ role: "user", text: "Write a rhyme." }], maxTokens: 4_096 }]);
});

test("a server that asks again and again in one call tires nobody out", async () => {
  const ann = person(...Array.from({ length: 20 }, () => "yes"));
  const answers = await asked(ann).ask("pester");
  expect(answers.match(/accept/gu)).toHaveLength(8);
  expect(answers.match(/at most 8 things/gu)).toHaveLength(12);
  expect(ann.questions).toHaveLength(8);
});

test("the time that a person takes is none of the server's", async () => {
  const limitMs = 5_000;
  const ann = person("2", "window", "-");
  const slow: ServerAsksHandle = {
    ...ann,
    question: async (text, choices) => {
      if (ann.questions.length === 0) await new Promise((resolve) => setTimeout(resolve, limitMs + 300));
      return await ann.question(text, choices);
    },
  };
  expect(await asked(slow, limitMs).ask("book")).toContain("accept");
});

async function modern(answer: (responses: Readonly<Record<string, unknown>> | undefined, state: unknown) => unknown): Promise<string> {
  const handler = createMcpHandler(
    () => {
      const server = new Server({ name: "notes", version: "1" }, { capabilities: { tools: {} } });
      server.setRequestHandler("tools/list", () => ({ tools: [{ name: "book", inputSchema: { type: "object" as const } }] }));
      server.setRequestHandler("tools/call", (_request, { mcpReq }) => answer(mcpReq.inputResponses, mcpReq.requestState()) as never);
      return server;
    },
    { legacy: "reject" },
  );
  onTestFinished(() => handler.close());
  return await serveFetch((request) => handler.fetch(request));
}

const called = async (url: string, asks: ServerAsksHandle | null): Promise<string> => {
  const connection = await connectHttp({ name: "notes", url, timeoutMs: 300_000 }, () => Promise.resolve({ fetched: fetch, close: () => Promise.resolve() }), {
    onToolsChanged: () => undefined,
    canAsk: asks !== null,
  });
  onTestFinished(() => connection.close());
  const answerer = asks === null ? undefined : answererOf({ server: "notes", tool: "book", asks, onAsked: () => undefined });
  const given = { signal: new AbortController().signal, timeoutMs: 300_000, onProgress: () => undefined, answerer };
  try {
    return JSON.stringify((await connection.call("book", {}, given)).content);
  } catch (error) {
    return String(error);
  }
};

const said = (text: string): unknown => ({ content: [{ type: "text", text }] });
const elicit = (message: string): unknown => ({
  method: "elicitation/create",
  params: { message, mode: "form", requestedSchema: { type: "object", properties: {} } },
});

test("a server without sessions that wants an answer first gets it with the same call, and its own state back", async () => {
  const url = await modern((responses, state) =>
    responses === undefined
      ? inputRequired({ inputRequests: { sure: elicit("Sure?") } as never, requestState: "mine" })
      : said(`${JSON.stringify(responses)} ${String(state)}`),
  );
  const ann = person("yes");
  expect(await called(url, ann)).toBe(JSON.stringify([{ type: "text", text: '{"sure":{"action":"accept","content":{}}} mine' }]));
  expect(ann.questions).toHaveLength(1);
});

test("a server without sessions that asks where nobody is, never stops asking, or wants what it does not get, fails its call", async () => {
  let rounds = 0;
  const again = await modern(() => {
    rounds += 1;
    return inputRequired({ inputRequests: { sure: elicit("Sure?") } as never, requestState: String(rounds) });
  });
  expect(await called(again, person(...Array.from({ length: 20 }, () => "yes")))).toMatch(/asked 4 times for something/u);
  expect(rounds).toBe(5);
  expect(await called(again, null)).toMatch(/nobody can be asked|elicitation/iu);
  const wanting = await modern(() =>
    inputRequired({ inputRequests: { words: { method: "sampling/createMessage", params: { messages: [], maxTokens: 5 } } } as never }),
  );
  expect(await called(wanting, person())).toMatch(/wants sampling\/createMessage before it does this, which it did not get/u);
});
