import { randomInt } from "node:crypto";
import { parseArguments } from "../../agent/calls/arguments.ts";
import { markOf, type CallMark, workOf } from "../../agent/calls/refusals.ts";
import { sha256 } from "../../base/digest.ts";
import type { Label } from "../../policy/label.ts";
import type { CallEnd, PlanCall, RunScript, RunToolCall } from "../../gate/gate.ts";
import { type Isolate, type IsolateEnd, type IsolateStep, startIsolate, type WantedCall } from "../../sandbox/isolate/isolate.ts";
import { resultText, type ScriptEnd, type ScriptProgram } from "../../tools/contract/tool.ts";
import type { ToolCallPart, ToolResultPart } from "../../providers/contract/message.ts";
import { createFlights, type Flights, type Landed } from "./flights.ts";
import { keepAnswer, type KeptAnswer, type KeptScript, keepStart, readScript, type ScriptPlace } from "./kept-answers.ts";

/** What a run's scripts work with. */
export type Scripting = Omit<ScriptPlace, "callId"> & {
  /** Names of the tools that a script may call. */
  readonly functions: readonly string[];
  readonly runToolCall: RunToolCall;
  readonly planCall: PlanCall;
  /** What the run has read: sha256 by path. */
  readonly seen: ReadonlyMap<string, string>;
  /** What became of a call whose process ended before its answer was kept; null: nothing happened. */
  readonly answerOfBegun: (call: ToolCallPart) => ToolResultPart | null;
};

/** All that a script is told by its calls: it is kept until the script has ended. */
const MAX_ANSWERS = 32 * 1024 * 1024;

type Ended = Extract<ScriptEnd, { kind: "ended" }>;

/** What is known of a script on its way. */
type State = {
  readonly place: ScriptPlace;
  readonly scripting: Scripting;
  readonly kept: KeptScript | null;
  readonly isolate: Isolate;
  readonly flights: Flights;
  readonly wanted: (WantedCall & { readonly digest: string })[];
  /** Of the answers that it got: what they count as. */
  readonly marks: CallMark[];
  readonly labels: Label[];
  /** What the run had read when the last answer was kept. */
  seen: ReadonlyMap<string, string>;
  readonly of: Parameters<RunScript>[1];
  readonly fixedMs: number | null;
  replayed: number;
  /** A call was answered that was not answered before it was interrupted. */
  hasGoneOn: boolean;
  failed: number;
  characters: number;
};

type Answered =
  | { readonly kind: "answer"; readonly answer: KeptAnswer }
  | { readonly kind: "over"; readonly problem: string }
  | { readonly kind: "parked"; readonly approvalId: string };

/**
 * Runs scripts for the calls of one run. A script that was interrupted runs again from its beginning, in an isolate without clock and chance, and gets the
 * answers that it had, in the order in which it had them; what it calls beyond them goes to the gate.
 */
export function scriptsOf(scripting: Scripting): RunScript {
  return async (program, of) => {
    const place = { audit: scripting.audit, runId: scripting.runId, callId: of.callId };
    const isolate = await startIsolate();
    const onAbort = (): void => void isolate.close();
    of.signal.addEventListener("abort", onAbort, { once: true });
    // It may have been cancelled while its process started.
    if (of.signal.aborted) onAbort();
    const kept = readScript(place);
    const flights = createFlights();
    const fixedMs = program.nowMs ?? null;
    const state: State = {
      place,
      scripting,
      kept,
      isolate,
      flights,
      wanted: [],
      marks: [],
      labels: [],
      seen: new Map(scripting.seen),
      of,
      fixedMs,
      replayed: 0,
      hasGoneOn: false,
      failed: 0,
      characters: 0,
    };
    try {
      return await carryOut(state, program);
    } catch (error) {
      // What was begun beside it ends first: nothing is left open behind a fault.
      await flights.settle(false).catch(() => undefined);
      throw error;
    } finally {
      of.signal.removeEventListener("abort", onAbort);
      await isolate.close();
    }
  };
}

async function carryOut(state: State, program: ScriptProgram): ReturnType<RunScript> {
  const { kept, isolate, scripting, place } = state;
  const start = kept?.start ?? { nowMs: program.nowMs ?? place.audit.clock.nowMs(), seed: program.seed ?? randomInt(2 ** 32) };
  if (kept === null) keepStart(place, start);
  let step = await isolate.begin({ code: program.code, functions: scripting.functions, ...start });
  for (;;) {
    const fault = takeCalls(state, step);
    if (fault !== null) return await over(state, step, { value: null, problem: fault });
    if (step.end !== null) return await over(state, step, step.end);
    const answered = await nextAnswer(state);
    if (answered.kind === "parked") return { end: answered, work: null, labels: state.labels };
    if (answered.kind === "over") return await over(state, step, { value: null, problem: answered.problem });
    const { call, isError, text, nowMs, mark, labels } = answered.answer;
    state.marks.push(mark);
    state.labels.push(...labels);
    if (isError) state.failed += 1;
    state.characters += text.length;
    if (state.characters > MAX_ANSWERS)
      return await over(state, step, {
        value: null,
        problem: `The results of its calls have more than ${String(MAX_ANSWERS)} characters together. Ask for less.`,
      });
    step = await isolate.answer({ call, isError, text, nowMs });
  }
}

/** The end of the script, once all that it began has ended. */
async function over(state: State, step: IsolateStep, ending: Pick<IsolateEnd, "value" | "problem">): ReturnType<RunScript> {
  const { printed } = step;
  const { value, problem } = ending;
  // A script that went on and ended before anything new: what was on its way when it was interrupted comes to its end, and is not taken for never begun.
  const { landed, notBegun } = await state.flights.settle(ending === step.end && state.kept !== null && !state.hasGoneOn);
  for (const each of landed) keepLanded(state, each);
  const marks = [...state.marks, ...landed.map(({ end }) => markOf(end))];
  const parked = landed.find(({ end }) => end.kind === "parked");
  if (parked !== undefined) return { end: { kind: "parked", approvalId: parked.end.approvalId ?? "" }, work: null, labels: state.labels };
  const isCancelled = state.of.signal.aborted;
  const calls = { answered: state.marks.length, failed: state.failed, unawaited: landed.length, notBegun };
  const ended: Ended = { kind: "ended", value: isCancelled ? null : value, problem: isCancelled ? "It was cancelled." : problem, printed, calls };
  return { end: ended, work: marks.length === 0 ? null : workOf(marks), labels: state.labels };
}

/** Takes the calls that a step brought. Gives what no script can say, and the isolate's process said nevertheless. */
function takeCalls(state: State, { calls }: IsolateStep): string | null {
  const { wanted, scripting, kept } = state;
  for (const call of calls) {
    if (call.call !== wanted.length || !scripting.functions.includes(call.name)) return "Its process said what no script can say, and was ended.";
    const made = { ...call, digest: sha256(JSON.stringify([call.name, call.input])) };
    wanted.push(made);
    const known = kept?.answers.find((answer) => answer.call === call.call);
    if (known === undefined) fly(state, made);
  }
  return null;
}

function fly(state: State, { call, name, input, digest }: State["wanted"][number]): void {
  const { scripting, flights, of, kept } = state;
  const parsed = parseArguments(input);
  // It is in no call of a model's: those have no dot.
  const id = `${of.callId}.${String(call)}`;
  const given = { id, name, input: parsed.kind === "parsed" ? parsed.input : null };
  const plan = parsed.kind === "parsed" ? scripting.planCall(given) : null;
  // Only before its answers are used up can it be at a call that was begun before it was interrupted.
  const mayHaveBegun = kept !== null && !state.hasGoneOn;
  flights.add({
    call,
    digest,
    plan,
    perform: async () => {
      if (parsed.kind === "malformed") return ownEnd(parsed.message);
      const begun = mayHaveBegun ? scripting.answerOfBegun({ kind: "tool-call", callId: id, name, input: parsed.input }) : null;
      return begun === null ? await scripting.runToolCall(given, { signal: of.signal, emit: of.emit }) : ownEnd(begun.text);
    },
  });
}

function ownEnd(text: string): CallEnd {
  return { kind: "invalid", ruling: null, result: { content: [{ kind: "text", text }], isError: true, label: "untrusted" } };
}

async function nextAnswer(state: State): Promise<Answered> {
  const { kept, flights } = state;
  const known = kept?.answers[state.replayed];
  if (known !== undefined) {
    state.replayed += 1;
    state.of.recall(known);
    state.seen = new Map(state.scripting.seen);
    const wanted = state.wanted[known.call];
    return wanted?.digest === known.digest ? { kind: "answer", answer: known } : { kind: "over", problem: diverged(known.call) };
  }
  const landed = await flights.next();
  if (landed === null) return { kind: "over", problem: "It waits for something that never comes: none of its calls is on its way." };
  state.hasGoneOn = true;
  if (landed.end.kind !== "parked") return { kind: "answer", answer: keepLanded(state, landed) };
  // What ran beside it has its answer when the script goes on.
  const rest = await flights.settle(false);
  for (const each of rest.landed) if (each.end.kind !== "parked") keepLanded(state, each);
  return { kind: "parked", approvalId: landed.end.approvalId ?? "" };
}

function keepLanded(state: State, { flight, end }: Landed): KeptAnswer {
  const nowMs = state.fixedMs ?? state.place.audit.clock.nowMs();
  const { seen } = state;
  state.seen = new Map(state.scripting.seen);
  const changed = [...state.seen].filter(([path, hash]) => seen.get(path) !== hash);
  const { labels = [] } = end.result;
  const answer = {
    labels,
    seen: changed,
    call: flight.call,
    digest: flight.digest,
    isError: end.result.isError,
    text: resultText(end.result),
    nowMs,
    mark: markOf(end),
  };
  if (end.kind !== "parked") keepAnswer(state.place, answer);
  return answer;
}

function diverged(call: number): string {
  return `It was interrupted, and went another way when it ran again: its call ${String(call + 1)} is not the one that was answered then. What it did before it was interrupted has happened, and nothing of it was done again. Look at what it left before you go on.`;
}
