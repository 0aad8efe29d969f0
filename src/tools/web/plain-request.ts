import { makeVisibleLine } from "../../base/text.ts";
import type { WebRequest } from "../../sandbox/egress/client/web-request.ts";
import { isSystemText, MAX_COMMAND_CHARACTERS } from "../contract/command.ts";
import type { ToolContext, ToolResult } from "../contract/tool.ts";
import { requestCommand } from "../contract/web-command.ts";
import { untrustedError, untrustedText } from "../contract/result.ts";
import { ask, type Answer } from "./answer.ts";

/** Of an answer that is shown as it is. */
export const MAX_ANSWER_BYTES = 1024 * 1024;
const MAX_HEADER_TEXT = 8 * 1024;

/** Written by the client itself: of these a second one makes two requests of one, or leads it elsewhere. */
const FRAMING = /^(?:host|content-length|transfer-encoding|accept-encoding|connection|keep-alive|te|trailer|upgrade|expect|proxy-.*)$/u;
const SECRET = /^(?:authorization|cookie)$|token|secret|api-?key|password/u;
/** What a server says of one conversation with it: like a password to that. */
const NOT_SHOWN = /^set-cookie2?$/u;

/** Why a call may not name a header, in lower case; null: it may. */
export function headerFault(name: string): string | null {
  if (FRAMING.test(name)) return `the header ${name} is written by the client, so leave it out`;
  if (!SECRET.test(name)) return null;
  return `the header ${name} holds a secret, which no call may name: a person lists it in the policy (sandbox.network.credentials), and it is added on the way out`;
}

/** Why a request is not made, for a model; null: it may be asked for. */
export function requestFault(request: WebRequest): string | null {
  const names = request.headers.map(({ name }) => name);
  const fault = names.map(headerFault).find((each) => each !== null);
  if (fault !== undefined) return fault;
  if (new Set(names).size < names.length) return "two headers have one name";
  return lengthFault(request);
}

export function lengthFault(request: WebRequest): string | null {
  return isSystemText(requestCommand(request), MAX_COMMAND_CHARACTERS) ? null : "url, headers and body are too long together, or hold a NUL";
}

/** Makes a request, and shows status, headers and body as they are. `isError`: which answers count as failures. */
export async function askPlainly(request: WebRequest, context: ToolContext, isError: (status: number) => boolean = () => false): Promise<ToolResult> {
  const asked = await ask(request, context);
  if ("failure" in asked) return asked.failure;
  const { answer } = asked;
  const moved = answer.movedTo === null ? [] : [`[redirects to ${makeVisibleLine(answer.movedTo)}, which was not asked]`];
  const cut = answer.isCut ? [`[only its first ${String(request.maxBytes)} bytes were fetched]`] : [];
  const text = [
    `source: ${makeVisibleLine(answer.url)}`,
    `status: ${String(answer.status)}`,
    ...headerLines(answer),
    "",
    bodyText(answer.body),
    ...cut,
    ...moved,
  ].join("\n");
  return (isError(answer.status) ? untrustedError : untrustedText)(text, { source: answer.url, status: answer.status });
}

function headerLines({ headers }: Answer): readonly string[] {
  const lines = headers.filter(([name]) => !NOT_SHOWN.test(name)).map(([name, value]) => makeVisibleLine(`${name}: ${value}`));
  let length = 0;
  return lines.filter((line) => (length += line.length) <= MAX_HEADER_TEXT);
}

function bodyText(body: Uint8Array): string {
  if (body.length === 0) return "[no body]";
  if (body.includes(0)) return `[${String(body.length)} bytes that are no text]`;
  return new TextDecoder().decode(body);
}
