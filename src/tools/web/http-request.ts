import type { z } from "zod";
import { makeVisibleLine } from "../../base/text.ts";
import { TOOL_NAMES } from "../../policy/tool-names.ts";
import type { WebRequest } from "../../sandbox/egress/client/web-request.ts";
import { MAX_COMMAND_CHARACTERS } from "../contract/command.ts";
import { defineTool } from "../contract/define.ts";
import { httpRequestSchema } from "../contract/input-schemas.ts";
import { readUrl, requestCommand } from "../contract/web-command.ts";
import { untrustedText } from "../contract/result.ts";
import { ask, type Answer, REQUEST_MS, webRequest } from "./answer.ts";

const MAX_BYTES = 1024 * 1024;
const MAX_HEADER_TEXT = 8 * 1024;

/** Written by the client itself: of these a second one makes two requests of one, or leads it elsewhere. */
const FRAMING = /^(?:host|content-length|transfer-encoding|accept-encoding|connection|keep-alive|te|trailer|upgrade|expect|proxy-.*)$/u;
const SECRET = /^(?:authorization|cookie)$|token|secret|api-?key|password/u;
/** What a server says of one conversation with it: like a password to that. */
const NOT_SHOWN = /^set-cookie2?$/u;

type Input = z.output<typeof httpRequestSchema>;

function requestOf({ method, url: text, headers = [], body }: Input): WebRequest {
  const read = readUrl(text);
  return {
    method: method.toUpperCase(),
    url: "url" in read ? read.url : "",
    headers: headers.map(({ name, value }) => ({ name: name.toLowerCase(), value })),
    body: body ?? null,
    redirects: 0,
    maxBytes: MAX_BYTES,
    timeoutMs: REQUEST_MS,
  };
}

function problemOf(input: Input): string | null {
  const read = readUrl(input.url);
  if ("problem" in read) return read.problem;
  const request = requestOf(input);
  if (request.method === "CONNECT" || request.method === "TRACE") return `method ${request.method} is for proxies, not for servers`;
  if (request.method === "HEAD" && request.body !== null) return "a HEAD has no body";
  const names = request.headers.map(({ name }) => name);
  const framing = names.find((name) => FRAMING.test(name));
  if (framing !== undefined) return `the header ${framing} is written by the client, so leave it out`;
  const secret = names.find((name) => SECRET.test(name));
  if (secret !== undefined)
    return `the header ${secret} holds a secret, which no call may name: a person lists it in the policy (sandbox.network.credentials), and it is added on the way out`;
  if (new Set(names).size < names.length) return "two headers have one name";
  if (requestCommand(request).length > MAX_COMMAND_CHARACTERS) return "url, headers and body are too long together";
  return null;
}

/** Makes any request, and shows the answer as it is. */
export const httpRequestTool = defineTool({
  name: "http_request",
  aliases: TOOL_NAMES.http_request,
  description:
    "Makes one HTTP request and returns status, headers and body as they are, at most 1 MiB. Redirects are not followed. Hosts are those of the policy, which also adds credentials. Anything but GET and HEAD sends something, and is judged as that.",
  schema: httpRequestSchema,
  traits: { exclusiveSandbox: false, history: { summaryArgument: "url" } },
  validate: problemOf,
  requests: (input, setting) => [webRequest(requestOf(input), setting)],
  async execute(input, context) {
    const asked = await ask(requestOf(input), context);
    if ("failure" in asked) return asked.failure;
    const { answer } = asked;
    const moved = answer.movedTo === null ? [] : [`[redirects to ${makeVisibleLine(answer.movedTo)}, which was not asked]`];
    const cut = answer.isCut ? [`[only its first ${MAX_BYTES} bytes were fetched]`] : [];
    const text = [
      `source: ${makeVisibleLine(answer.url)}`,
      `status: ${answer.status}`,
      ...headerLines(answer),
      "",
      bodyText(answer.body),
      ...cut,
      ...moved,
    ].join("\n");
    return untrustedText(text, { source: answer.url, status: answer.status });
  },
});

function headerLines({ headers }: Answer): readonly string[] {
  const lines = headers.filter(([name]) => !NOT_SHOWN.test(name)).map(([name, value]) => makeVisibleLine(`${name}: ${value}`));
  let length = 0;
  return lines.filter((line) => (length += line.length) <= MAX_HEADER_TEXT);
}

function bodyText(body: Uint8Array): string {
  if (body.length === 0) return "[no body]";
  if (body.includes(0)) return `[${body.length} bytes that are no text]`;
  return new TextDecoder().decode(body);
}
