import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type HttpServer, readBody, startHttpServer } from "../../../test/support/http-server.ts";

/** A call that a scripted model makes. `name`: what the tool's name as the agent offers it ends with. `input`: a text for a tool that takes no JSON. */
export type AgentCall = { readonly name: string; readonly input: object | string; readonly namespace?: string };

/** A model server that other agents can talk to, in the form that they choose by its path. It makes the calls in turn; what comes before one may take its time. */
export type AgentModel = HttpServer & {
  /** What the model was told, one text a request. */
  readonly told: readonly string[];
  /** The tools that it was offered. */
  readonly offered: ReadonlySet<string>;
};

export async function startAgentModel(calls: readonly (AgentCall | (() => Promise<AgentCall>))[]): Promise<AgentModel> {
  const told: string[] = [];
  const offered = new Set<string>();
  let made = 0;
  const server = await startHttpServer((request, response) => {
    readBody(request)
      .then((body) => answer(request, response, body))
      .catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  return Object.assign(server, { told, offered });

  async function answer(request: IncomingMessage, response: ServerResponse, body: string): Promise<void> {
    const url = request.url ?? "";
    const speech = SPEECHES.find(({ path }) => url.includes(path));
    if (request.method !== "POST" || speech === undefined || url.includes("count_tokens"))
      return send(response, "application/json", '{"input_tokens":1,"data":[],"models":[]}');
    const question = JSON.parse(body) as { readonly tools?: unknown; readonly stream?: boolean };
    const names = namesIn(question.tools);
    // Questions without tools are the agent's own: titles, sums.
    const next = names.length === 0 ? null : (calls[made++] ?? null);
    const call = typeof next === "function" ? await next() : next;
    if (names.length > 0) told.push(body);
    for (const name of names) offered.add(name);
    const named =
      call === null
        ? null
        : { ...call, name: names.find((name) => name === call.name || name.endsWith(`_${call.name}`) || name.endsWith(`-${call.name}`)) ?? call.name };
    const events = speech.say(named);
    const head = (event: object): string => ("type" in event ? `event: ${String(event.type)}\n` : "");
    if (question.stream !== true && !url.includes("stream") && speech.whole !== null)
      return send(response, "application/json", JSON.stringify(speech.whole(events)));
    const text = events.map((event) => `${head(event)}data: ${JSON.stringify(event)}\n\n`).join("");
    send(response, "text/event-stream", `${text}${speech.end}`);
  }
}

/** The names in a list of tools, in whatever form. */
function namesIn(tools: unknown): readonly string[] {
  if (typeof tools !== "object" || tools === null) return [];
  if (Array.isArray(tools)) return tools.flatMap(namesIn);
  const record = tools as Readonly<Record<string, unknown>>;
  const inner = [record["function"], record["functionDeclarations"], record["tools"]].flatMap(namesIn);
  return inner.length === 0 && typeof record["name"] === "string" ? [record["name"]] : inner;
}

function send(response: ServerResponse, type: string, body: string): void {
  response.writeHead(200, { "content-type": type });
  response.end(body);
}

const usage = { input_tokens: 1, output_tokens: 1 };
const message = { id: "m", type: "message", role: "assistant", model: "scripted", content: [], stop_reason: null, stop_sequence: null, usage };
const newId = (): string => randomUUID().replaceAll("-", "");

function messages(call: AgentCall | null): readonly object[] {
  const block = call === null ? { type: "text", text: "" } : { type: "tool_use", id: `toolu_${newId()}`, name: call.name, input: {} };
  const delta = call === null ? { type: "text_delta", text: "ok" } : { type: "input_json_delta", partial_json: JSON.stringify(call.input) };
  return [
    { type: "message_start", message },
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: call === null ? "end_turn" : "tool_use", stop_sequence: null }, usage },
    { type: "message_stop" },
  ];
}

function responses(call: AgentCall | null): readonly object[] {
  const id = newId();
  const item =
    call === null
      ? { type: "message", id: `msg_${id}`, role: "assistant", content: [{ type: "output_text", text: "ok" }] }
      : typeof call.input === "string"
        ? { type: "custom_tool_call", id: `ct_${id}`, call_id: `call_${id}`, name: call.name, input: call.input }
        : { type: "function_call", id: `fc_${id}`, call_id: `call_${id}`, namespace: call.namespace, name: call.name, arguments: JSON.stringify(call.input) };
  return [
    { type: "response.created", response: { id } },
    { type: "response.output_item.added", output_index: 0, item },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: { id, usage: { ...usage, input_tokens_details: null, output_tokens_details: null, total_tokens: 2 } } },
  ];
}

function completions(call: AgentCall | null): readonly object[] {
  const head = { id: newId(), object: "chat.completion.chunk", created: 1, model: "scripted" };
  const made = { index: 0, id: `call_${newId()}`, type: "function", function: { name: call?.name, arguments: JSON.stringify(call?.input) } };
  const delta = call === null ? { role: "assistant", content: "ok" } : { role: "assistant", content: null, tool_calls: [made] };
  const total = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  return [
    { ...head, choices: [{ index: 0, delta, finish_reason: null }] },
    { ...head, choices: [{ index: 0, delta: {}, finish_reason: call === null ? "stop" : "tool_calls" }] },
    { ...head, choices: [], usage: total },
  ];
}

function google(call: AgentCall | null): readonly object[] {
  const part = call === null ? { text: "ok" } : { functionCall: { name: call.name, args: call.input } };
  const candidate = { content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 };
  return [{ candidates: [candidate], usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 } }];
}

type Speech = {
  readonly path: string;
  readonly say: (call: AgentCall | null) => readonly object[];
  readonly end: string;
  /** The answer in one piece, for who wants no stream. */
  readonly whole: ((events: readonly object[]) => object) | null;
};

const SPEECHES: readonly Speech[] = [
  { path: "/messages", say: messages, end: "", whole: () => ({ ...message, content: [{ type: "text", text: "ok" }], stop_reason: "end_turn" }) },
  { path: "/responses", say: responses, end: "", whole: null },
  {
    path: "/chat/completions",
    say: completions,
    end: "data: [DONE]\n\n",
    whole: ([first]) => {
      const { choices } = first as { readonly choices: readonly { readonly delta: object }[] };
      return { ...first, object: "chat.completion", choices: choices.map(({ delta }) => ({ index: 0, message: delta, finish_reason: "stop" })), usage };
    },
  },
  { path: "enerateContent", say: google, end: "", whole: ([first]) => first ?? {} },
];
