import type { IncomingMessage, ServerResponse } from "node:http";
import { readBody, startHttpServer } from "./http-server.ts";

type Message = { readonly role: string; readonly content?: unknown };

/** One request to the model: what it was told, and its answer in pieces, as the test says. */
export type Asked = {
  readonly messages: readonly Message[];
  /** The text of the last message. */
  readonly last: string;
  say(text: string): void;
  call(tool: string, input: unknown): void;
  end(): void;
};

export type ToldModel = AsyncDisposable & {
  /** What the command line needs, to ask it. */
  readonly environment: Readonly<Record<string, string>>;
  readonly name: string;
  /** The next request, in their order. */
  asked(): Promise<Asked>;
};

/** A model behind a real HTTP server with the Chat Completions protocol, which answers when and what the test says. */
export async function startToldModel(): Promise<ToldModel> {
  const requests: Asked[] = [];
  const waiting: ((asked: Asked) => void)[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { messages } = JSON.parse(await readBody(request)) as { messages: readonly Message[] };
    const asked = answering(messages, response);
    const next = waiting.shift();
    if (next === undefined) requests.push(asked);
    else next(asked);
  };
  const server = await startHttpServer((request, response) => void take(request, response));
  return {
    environment: { WARDER_BASE_URL: `${server.url}/v1` },
    name: "openai-compatible:told",
    asked: () => {
      const first = requests.shift();
      return first === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(first);
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function answering(messages: readonly Message[], response: ServerResponse): Asked {
  let calls = 0;
  const chunk = (delta: unknown, finish: string | null): void => {
    const choice = { index: 0, delta, finish_reason: finish };
    response.write(`data: ${JSON.stringify({ id: "answer", object: "chat.completion.chunk", created: 1, model: "told", choices: [choice] })}\n\n`);
  };
  response.writeHead(200, { "content-type": "text/event-stream" });
  chunk({ role: "assistant", content: "" }, null);
  return {
    messages,
    last: textOf(messages.at(-1)),
    say: (text) => chunk({ content: text }, null),
    call: (tool, input) => {
      const made = {
        index: calls,
        id: `call-${String(messages.length)}-${String(calls)}`,
        type: "function",
        function: { name: tool, arguments: JSON.stringify(input) },
      };
      calls += 1;
      chunk({ tool_calls: [made] }, null);
    },
    end: () => {
      chunk({}, calls > 0 ? "tool_calls" : "stop");
      response.end("data: [DONE]\n\n");
    },
  };
}

/** What stands in a message, whether it is a text or parts. */
export function textOf(message: Message | undefined): string {
  const content = message?.content;
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map((part: { text?: string }) => part.text ?? "").join("") : "";
}
