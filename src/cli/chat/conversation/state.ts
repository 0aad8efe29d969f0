import type { Decision } from "../../../policy/decision.ts";
import type { Entry } from "./entry.ts";

/** A call that goes on. */
export type LiveCall = {
  readonly callId: string;
  readonly tool: string;
  /** Its command, path or arguments in one line. */
  readonly what: string;
  readonly verdict: Decision["verdict"] | null;
  /** Why it was refused, by the policy or a person. */
  readonly refusal: string;
  readonly startedAtMs: number;
  /** The last line of its output that is whole, and the end that is not. */
  readonly lastLine: string;
  readonly openLine: string;
  /** What the run still has to do, where the call says it. */
  readonly list: readonly string[];
  readonly outcome: { readonly kind: string; readonly exitCode: number | null; readonly durationMs: number } | null;
};

/** What a person said that the model has not heard. */
export type Waiting = { readonly text: string; readonly source: "steering" | "follow-up" };

export type Phase =
  /** Nothing goes on; the next message is a task. */
  | "idle"
  | "opening"
  | "working"
  /** A person ended the run, which takes a moment. */
  | "stopping";

/** A sub-agent that goes on. `who`: its name in a crew, or that it is one. */
export type Child = { readonly runId: string; readonly who: string; readonly state: ChatState };

/** A conversation as it stands now. */
export type ChatState = {
  readonly phase: Phase;
  readonly runId: string | null;
  readonly model: string | null;
  /** What the model says in this turn and no line break has ended yet; null: it says nothing. */
  readonly saying: string | null;
  /** A line of its answer is shown already. */
  readonly isSpeaking: boolean;
  readonly calls: readonly LiveCall[];
  /** The sub-agents that go on, as conversations of their own. */
  readonly children: readonly Child[];
  readonly waiting: readonly Waiting[];
  /** What goes on, as it began. */
  readonly activity: { readonly label: string; readonly sinceMs: number } | null;
  readonly tokens: number;
  /** When a person pressed Ctrl-C last; null: not since something else happened. */
  readonly interruptedAtMs: number | null;
};

export const BEGINNING: ChatState = {
  phase: "idle",
  runId: null,
  model: null,
  saying: null,
  isSpeaking: false,
  calls: [],
  children: [],
  waiting: [],
  activity: null,
  tokens: 0,
  interruptedAtMs: null,
};

/** The next state, and what is shown for good from now on. */
export type Step = { readonly state: ChatState; readonly shown: readonly Entry[] };

/** The calls that go on, and behind them those of sub-agents. */
export function liveCalls({ calls, children }: ChatState): readonly LiveCall[] {
  return [...calls, ...children.flatMap(({ who, state }) => liveCalls(state).map((call) => ({ ...call, tool: `${who}: ${call.tool}` })))];
}
