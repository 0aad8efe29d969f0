import type { z } from "zod";
import { TOOL_NAMES } from "../../policy/tool-names.ts";
import type { WebRequest } from "../../sandbox/egress/client/web-request.ts";
import { defineTool } from "../contract/define.ts";
import { httpRequestSchema } from "../contract/input-schemas.ts";
import { readUrl } from "../contract/web-command.ts";
import { REQUEST_MS, webRequest } from "./answer.ts";
import { askPlainly, MAX_ANSWER_BYTES, requestFault } from "./plain-request.ts";

type Input = z.output<typeof httpRequestSchema>;

function requestOf({ method, url: text, headers = [], body }: Input): WebRequest {
  const read = readUrl(text);
  return {
    method: method.toUpperCase(),
    url: "url" in read ? read.url : "",
    headers: headers.map(({ name, value }) => ({ name: name.toLowerCase(), value })),
    body: body ?? null,
    redirects: 0,
    maxBytes: MAX_ANSWER_BYTES,
    timeoutMs: REQUEST_MS,
  };
}

function problemOf(input: Input): string | null {
  const read = readUrl(input.url);
  if ("problem" in read) return read.problem;
  const request = requestOf(input);
  if (request.method === "CONNECT" || request.method === "TRACE") return `method ${request.method} is for proxies, not for servers`;
  if (request.method === "HEAD" && request.body !== null) return "a HEAD has no body";
  return requestFault(request);
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
  execute: (input, context) => askPlainly(requestOf(input), context),
});
