import type { AgentEvent } from "../../../agent/events.ts";
import { makeVisible, makeVisibleLine } from "../../../base/text.ts";
import { TODO_WRITE, todoLines, todosIn } from "../../../tools/contract/todo-list.ts";
import { callText } from "../../view/ruling.ts";
import { counted, formatDuration } from "../../view/style.ts";
import { type Entry, word } from "./entry.ts";
import { BEGINNING, type ChatState, type LiveCall, type Step } from "./state.ts";

/** Of a line of output that does not end. */
const MAX_OPEN_LINE = 4_096;
const MAX_REASON = 300;

type Take<Kind extends AgentEvent["kind"]> = (state: ChatState, event: Extract<AgentEvent, { kind: Kind }>) => Step;

/** What an event makes of a conversation. Pure. */
export function afterEvent(state: ChatState, event: AgentEvent): Step {
  const take = TAKES[event.kind] as ((state: ChatState, event: AgentEvent) => Step) | undefined;
  return take?.(state, event) ?? { state, shown: [] };
}

const TAKES: { readonly [Kind in AgentEvent["kind"]]?: Take<Kind> } = {
  "run-start": (state, { runId, model, isScripted, atMs }) => ({
    state: {
      ...state,
      phase: "working",
      runId,
      model: `${makeVisibleLine(model)}${isScripted ? " (scripted)" : ""}`,
      activity: { label: "thinking", sinceMs: atMs },
    },
    shown: [],
  }),
  "turn-start": thinking,
  "message-start": thinking,
  "model-switch": (state, { from, to, reason }) => ({
    state,
    shown: [word(`${makeVisibleLine(to)} answers in place of ${makeVisibleLine(from)}: ${firstLineOf(reason)}`, "warning")],
  }),
  "message-delta": (state, { text }) => {
    const lines = `${state.saying ?? ""}${makeVisible(text)}`.split("\n");
    const open = lines.pop() ?? "";
    return { state: { ...state, saying: open, isSpeaking: state.isSpeaking || lines.length > 0 }, shown: saidLines(state, lines) };
  },
  "message-end": (state) => ({
    state: { ...state, saying: null, isSpeaking: false, activity: null },
    shown: state.saying === null || state.saying.trim() === "" ? [] : saidLines(state, [state.saying]),
  }),
  ruling: (state, { ruling, input, atMs }) => {
    const { verdict, reason } = ruling.decision;
    const call: LiveCall = {
      callId: ruling.callId,
      tool: makeVisibleLine(ruling.tool),
      what: callText(input),
      verdict,
      refusal: verdict === "deny" ? `${ruling.decision.rules.find((rule) => rule.verdict === "deny")?.id ?? "denied"}: ${makeVisibleLine(reason)}` : "",
      startedAtMs: atMs,
      lastLine: "",
      openLine: "",
      list: ruling.tool === TODO_WRITE ? todoLines(todosIn(input) ?? []) : [],
      outcome: null,
    };
    return { state: { ...state, calls: [...state.calls.filter((each) => each.callId !== ruling.callId && !isOverInScript(each)), call] }, shown: [] };
  },
  "approval-answered": (state, { callId, isGranted, by, reason }) => {
    const why = reason === "" ? "" : `: ${makeVisibleLine(reason)}`;
    if (!isGranted) return { state: changeCall(state, callId, () => ({ refusal: `refused by ${makeVisibleLine(by)}${why}` })), shown: [] };
    const call = state.calls.find((each) => each.callId === callId);
    return { state, shown: [word(`${call?.tool ?? "a call"}: granted by ${makeVisibleLine(by)}${why}`, "quiet")] };
  },
  "user-message": (state, { text }) => ({ state, shown: [{ kind: "model", text: makeVisible(text).trimEnd(), isFirst: true }] }),
  "tool-output": (state, { callId, text }) => ({
    state: changeCall(state, callId, ({ openLine, lastLine }) => {
      const lines = `${openLine}${text}`.split("\n");
      const open = lines.pop() ?? "";
      const last = lines.findLast((line) => line.trim() !== "");
      return { openLine: open.slice(-MAX_OPEN_LINE), lastLine: last === undefined ? lastLine : makeVisibleLine(last.slice(0, MAX_OPEN_LINE)) };
    }),
    shown: [],
  }),
  "tool-progress": (state, { callId, text }) => ({ state: changeCall(state, callId, () => ({ lastLine: makeVisibleLine(text) })), shown: [] }),
  "tool-end": (state, { callId, outcome, exitCode, durationMs, notes }) => ({
    state: changeCall(state, callId, () => ({ outcome: { kind: outcome, exitCode, durationMs } })),
    shown: notes.map((note) => word(makeVisibleLine(note), "warning")),
  }),
  "tool-result": (state, { callId, tool, ending, isError, text }) => {
    const call = state.calls.find((each) => each.callId === callId);
    const entry: Entry = {
      kind: "call",
      tool: call?.tool ?? makeVisibleLine(tool),
      what: call?.what ?? "",
      ...endOf(call, { ending, isError, text }),
    };
    const list = call === undefined || isError || call.list.length === 0 ? [] : [{ kind: "lines" as const, lines: call.list }];
    return {
      state: { ...state, calls: state.calls.filter((each) => each !== call && !each.callId.startsWith(`${callId}.`)) },
      shown: [entry, ...list],
    };
  },
  "run-hook": (state, { hook, point, did, detail }) => ({
    state,
    shown: [word(`hook ${makeVisibleLine(hook)} ${did} at ${point}: ${makeVisibleLine(detail)}`, "warning")],
  }),
  input: (state, { source, text }) => heard(state, text, source === "steering" ? "the model has it" : "the model goes on with it"),
  "input-rejected": (state, { text, reason }) => {
    const { state: next, shown } = heard(state, text, "not taken");
    return { state: next, shown: [...shown, word(makeVisibleLine(reason), "warning")] };
  },
  "history-compacted": (state, { messages }) => ({
    state,
    shown: [word(`The beginning of the conversation was summed up (${String(messages)} messages).`, "quiet")],
  }),
  "child-event": (state, { name, event }) => ofChild(state, name === undefined ? "sub-agent" : makeVisibleLine(name), event),
  "turn-end": (state, { usage }) => ({ state: { ...state, tokens: state.tokens + usage.inputTokens + usage.outputTokens }, shown: [] }),
};

function thinking(state: ChatState, { atMs }: { readonly atMs: number }): Step {
  return { state: { ...state, activity: { label: "thinking", sinceMs: atMs } }, shown: [] };
}

function saidLines(state: ChatState, lines: readonly string[]): readonly Entry[] {
  return lines.length === 0 ? [] : [{ kind: "model", text: lines.join("\n"), isFirst: !state.isSpeaking }];
}

/** What a sub-agent does is shown behind its name. Its words are for its parent, which is given the last of them. */
function ofChild(state: ChatState, who: string, event: AgentEvent): Step {
  const { runId } = event;
  const known = state.children.find((child) => child.runId === runId);
  const before = known?.state ?? BEGINNING;
  const { state: now, shown } = afterEvent(before, event);
  const all =
    known === undefined ? [...state.children, { runId, who, state: now }] : state.children.map((child) => (child === known ? { ...child, state: now } : child));
  const children = event.kind === "run-end" ? all.filter((child) => child.runId !== runId) : all;
  return {
    state: { ...state, children, tokens: state.tokens + now.tokens - before.tokens },
    shown: [...shown.flatMap((entry) => saidOf(who, entry, event)), ...childWords(who, event)],
  };
}

function saidOf(who: string, entry: Entry, { kind }: AgentEvent): readonly Entry[] {
  // What it tells the person is for them.
  if (entry.kind === "model") return kind === "user-message" || kind === "child-event" ? [{ ...entry, text: `${who}: ${entry.text}` }] : [];
  if (entry.kind === "call") return [{ ...entry, tool: `${who}: ${entry.tool}` }];
  return entry.kind === "word" ? [{ ...entry, text: `${who}: ${entry.text}` }] : [];
}

/** Its beginning and its end. */
function childWords(who: string, event: AgentEvent): readonly Entry[] {
  if (event.kind === "run-start") return [word(`${who} begins: ${firstLineOf(event.task)}`, "quiet")];
  if (event.kind !== "run-end") return [];
  const { kind, reason, turns } = event.end;
  return [word(`${who} ended: ${kind}${reason === "" ? "" : `: ${firstLineOf(reason)}`} (${counted(turns, "turn")})`, kind === "done" ? "quiet" : "warning")];
}

/** A call of a script has no answer of its own in the conversation. */
function isOverInScript({ callId, outcome, verdict }: LiveCall): boolean {
  return callId.includes(".") && (outcome !== null || verdict === "deny");
}

function changeCall(state: ChatState, callId: string, change: (call: LiveCall) => Partial<LiveCall>): ChatState {
  return { ...state, calls: state.calls.map((call) => (call.callId === callId ? { ...call, ...change(call) } : call)) };
}

/** The first that waits with these words is no longer waiting. */
function heard(state: ChatState, text: string, note: string): Step {
  const index = state.waiting.findIndex((each) => each.text === text);
  return {
    state: { ...state, waiting: state.waiting.filter((_, at) => at !== index) },
    shown: [{ kind: "person", text: makeVisible(text), note }],
  };
}

type Result = Pick<Extract<AgentEvent, { kind: "tool-result" }>, "ending" | "isError" | "text">;

/** How a call ended, as short as it can be said. */
function endOf(call: LiveCall | undefined, { ending, isError, text }: Result): { readonly ended: string; readonly mood: "fine" | "bad" } {
  const outcome = call?.outcome ?? null;
  const refusal = call?.refusal ?? "";
  if (refusal !== "" && (ending === "denied" || ending === "refused")) return { ended: `${ending}, ${refusal}`, mood: "bad" };
  if (ending !== "executed" || outcome === null) return { ended: `${ending}: ${firstLineOf(text)}`, mood: ending === "executed" && !isError ? "fine" : "bad" };
  const { kind, exitCode, durationMs } = outcome;
  const time = formatDuration(durationMs);
  if (kind === "completed" && exitCode !== null && exitCode !== 0) return { ended: `exit ${String(exitCode)} in ${time}`, mood: "bad" };
  if (isError) return { ended: `${kind === "completed" ? "failed" : kind}: ${firstLineOf(text)}`, mood: "bad" };
  return { ended: kind === "completed" ? time : `${kind} in ${time}`, mood: kind === "completed" ? "fine" : "bad" };
}

function firstLineOf(text: string): string {
  const line = text.split("\n").find((candidate) => candidate !== "" && !candidate.startsWith("[")) ?? "";
  return makeVisibleLine(line.slice(0, MAX_REASON).toWellFormed());
}
