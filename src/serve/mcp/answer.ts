import type { CallToolResult } from "@modelcontextprotocol/server";
import { imagesOf, renderResult } from "../../agent/calls/result-text.ts";
import { makeVisibleLine } from "../../base/text.ts";
import type { CallEnd } from "../../gate/gate.ts";

/** What a call came to, as a client is told of it. The first line is Warder's own, and says whose words follow. */
export function answerOf(end: CallEnd, callId: string): CallToolResult {
  const images = imagesOf(end.result).map(({ mediaType, base64 }) => ({ type: "image" as const, mimeType: mediaType, data: base64 }));
  const rule = end.ruling?.decision.rules[0]?.id;
  return {
    content: [{ type: "text", text: renderResult(end.result, "").toWellFormed() }, ...images],
    isError: end.result.isError,
    _meta: { "warder/call": callId, "warder/end": end.kind, ...(rule === undefined ? {} : { "warder/rule": rule }) },
  };
}

/** Of a call that waits for a person: the number of its question, and how to go on. */
export function waitingAnswer({ ruling, approvalId = "" }: CallEnd, callId: string): CallToolResult {
  const asking = ruling?.decision.rules.find(({ verdict }) => verdict === "ask");
  const why = asking === undefined ? "" : ` Rule ${asking.id} asks: ${makeVisibleLine(asking.reason)}`;
  const text = `[warder, failed]\nNot run yet: it waits for a person, as question ${approvalId}.${why}
A person answers at a terminal: warder approvals show ${approvalId}, then grant or refuse it.
Make exactly the same call again after the answer. Until then, do something else, or tell the person that you wait.`;
  return {
    content: [{ type: "text", text }],
    isError: true,
    _meta: { "warder/call": callId, "warder/end": "parked", "warder/question": approvalId, ...(asking === undefined ? {} : { "warder/rule": asking.id }) },
  };
}

/** In Warder's own words, of what never came to the gate. */
export function refusedAnswer(text: string): CallToolResult {
  return { content: [{ type: "text", text: `[warder, failed]\n${text}` }], isError: true };
}
