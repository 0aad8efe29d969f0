import type { Diff, SessionUpdate, ToolCallContent } from "@agentclientprotocol/sdk";
import type { AgentEvent } from "../../agent/events.ts";
import type { Utterance } from "../../app/conversation/replay.ts";
import { makeVisible } from "../../base/text.ts";
import { TODO_WRITE, type Todo, todosIn } from "../../tools/contract/todo-list.ts";
import type { ToolSetting } from "../../tools/contract/tool.ts";
import { codeBlock } from "../text/markdown.ts";
import { hunkIn, shownCall } from "./shown-call.ts";

/** What an editor is told of a run, event by event. */
type Updates = {
  readonly take: (event: AgentEvent) => readonly SessionUpdate[];
  /** The call that asked a question; null: none did. */
  readonly askedBy: (approvalId: string) => string | null;
};

/** Updates of one prompt. */
export function createUpdates(setting: ToolSetting): Updates {
  const asking = new Map<string, string>();
  const tools = new Map<string, string>();
  const files = new Map<string, string>();
  let isSpeaking = false;

  const noteQuestions = (event: AgentEvent, callId: string | null): void => {
    if (event.kind === "child-event") noteQuestions(event.event, callId ?? event.callId);
    else if (event.kind === "approval-requested") asking.set(event.approvalId, callId ?? event.callId);
  };

  const take = (event: AgentEvent): readonly SessionUpdate[] => {
    noteQuestions(event, null);
    switch (event.kind) {
      case "message-start":
        return isSpeaking ? [said("\n\n")] : [];
      case "message-delta":
        isSpeaking = true;
        return [said(makeVisible(event.text))];
      case "message-end":
        if (event.calls.length > 0) isSpeaking = false;
        // Of an answer that is not whole nothing is run.
        if (event.finish === "error") return [];
        return event.calls.map(({ callId, name, input }) => ({
          sessionUpdate: "tool_call",
          toolCallId: callId,
          status: "pending",
          ...shownCall(name, input, setting),
        }));
      case "ruling": {
        const { callId, tool } = event.ruling;
        const shown = shownCall(tool, event.input, setting);
        tools.set(callId, tool);
        if (shown.kind === "edit" && shown.locations.length === 1) files.set(callId, shown.locations[0]?.path ?? "");
        return [{ sessionUpdate: "tool_call_update", toolCallId: callId, ...shown }];
      }
      case "tool-start":
        return [{ sessionUpdate: "tool_call_update", toolCallId: event.callId, status: "in_progress" }];
      case "tool-update": {
        const todos = tools.get(event.callId) === TODO_WRITE ? todosIn(event.value) : null;
        return todos === null ? [] : [planOf(todos)];
      }
      case "tool-result":
        return [answered(event.callId, event, files.get(event.callId) ?? null)];
      case "user-message":
        return [said(`\n\n${makeVisible(event.text)}\n\n`)];
      case "model-switch":
        return [ownWords(`${event.to} answers from now on, in place of ${event.from}.`)];
      case "input-rejected":
        return [ownWords(`What you said was not taken: ${event.reason}`)];
      case "approval-answered":
      case "approval-requested":
      case "child-event":
      case "history-compacted":
      case "hook":
      case "hook-command":
      case "input":
      case "run-end":
      case "run-hook":
      case "run-start":
      case "tool-end":
      case "tool-output":
      case "tool-progress":
      case "turn-end":
      case "turn-not-kept":
      case "turn-start":
        return [];
    }
  };
  return { take, askedBy: (approvalId) => asking.get(approvalId) ?? null };
}

/** A conversation as it was, for an editor that comes back to it. */
export function replayed(utterance: Utterance, setting: ToolSetting): readonly SessionUpdate[] {
  if (utterance.kind !== "call") {
    const text = makeVisible(utterance.text);
    return [utterance.kind === "model" ? said(text) : { sessionUpdate: "user_message_chunk", content: { type: "text", text } }];
  }
  const { callId, name, input, result } = utterance;
  const shown = shownCall(name, input, setting);
  const path = shown.kind === "edit" && shown.locations.length === 1 ? (shown.locations[0]?.path ?? null) : null;
  const call: SessionUpdate = { sessionUpdate: "tool_call", toolCallId: callId, status: "pending", ...shown };
  return [call, answered(callId, result ?? { text: "[warder, failed]\nIt was not answered.", isError: true }, path)];
}

/** Warder's own words among those of the model. */
export function ownWords(text: string): SessionUpdate {
  return said(`\n\n> Warder: ${makeVisible(text).replaceAll("\n", "\n> ")}\n\n`);
}

export function textContent(text: string): ToolCallContent {
  return { type: "content", content: { type: "text", text } };
}

export function diffContent(diff: Diff): ToolCallContent {
  return { type: "diff", ...diff };
}

function said(text: string): SessionUpdate {
  return { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
}

/** `path`: of the one file that the call was to change. */
function answered(toolCallId: string, { text, isError }: { readonly text: string; readonly isError: boolean }, path: string | null): SessionUpdate {
  const hunk = path === null || isError ? null : hunkIn(text, path);
  return {
    sessionUpdate: "tool_call_update",
    toolCallId,
    status: isError ? "failed" : "completed",
    content: hunk === null ? [textContent(codeBlock(text))] : [diffContent(hunk.diff)],
    ...(hunk === null || path === null ? {} : { locations: [{ path, line: hunk.line }] }),
  };
}

function planOf(todos: readonly Todo[]): SessionUpdate {
  return { sessionUpdate: "plan", entries: todos.map(({ content, status }) => ({ content: makeVisible(content), priority: "medium", status })) };
}
