import { makeVisibleLine } from "../../base/text.ts";
import type { WebRequest, WebResult } from "../../sandbox/egress/client/web-request.ts";
import { refusalNote, WITHOUT_NETWORK } from "../commands/network-note.ts";
import { requestCommand } from "../contract/web-command.ts";
import { endingError, trustedError, untrustedError } from "../contract/result.ts";
import type { ToolContext, ToolRequest, ToolResult, ToolSetting } from "../contract/tool.ts";

export const REQUEST_MS = 30_000;

export type Answer = Extract<WebResult, { kind: "answer" }>;

/** It is judged as the command that does the same. */
export function webRequest(request: WebRequest, { workspace }: ToolSetting): ToolRequest {
  return { kind: "command", text: requestCommand(request), cwd: workspace };
}

/** Makes the request that a call asked for: the answer, or the result that says why there is none. */
export async function ask(request: WebRequest, { handles }: ToolContext): Promise<{ readonly answer: Answer } | { readonly failure: ToolResult }> {
  const subject = `${request.method} ${makeVisibleLine(request.url)}`;
  const outcome = await handles.web.request(request);
  if (outcome.kind !== "completed") return { failure: endingError(outcome, subject) };
  const { result } = outcome;
  if (result.kind !== "request") return { failure: trustedError("Failed: the sandbox answered with something else.") };
  if (result.result === null) return { failure: untrustedError(`Failed: ${subject}. ${WITHOUT_NETWORK}`) };
  if (result.result.kind === "answer") return { answer: result.result };
  const { refused, reason } = result.result;
  if (refused === null) return { failure: untrustedError(`Failed: ${subject}: ${reason}. Look whether the address is right, or try later.`) };
  return { failure: untrustedError(`Failed: ${subject}. ${refusalNote(refused)}`, { refused }) };
}

/** The part of a text that was asked for, and how to read on. Whole characters. */
export function windowOf(text: string, from: number, length: number): { readonly shown: string; readonly note: string } {
  const start = isLowHalf(text, from) ? from - 1 : from;
  const end = isLowHalf(text, start + length) ? start + length - 1 : start + length;
  if (start >= text.length && text.length > 0) return { shown: "", note: `[there is nothing from ${from} on: the text has ${text.length} characters]` };
  if (start === 0 && end >= text.length) return { shown: text, note: "" };
  const next = end < text.length ? `; read on with from: ${end}` : "";
  return { shown: text.slice(start, end), note: `[characters ${start} to ${Math.min(end, text.length)} of ${text.length}${next}]` };
}

function isLowHalf(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return at > 0 && code >= 0xdc00 && code <= 0xdfff;
}
