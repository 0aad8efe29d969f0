import type { createInbox } from "../../agent/inbox.ts";
import type { AgentEvent } from "../../agent/events.ts";
import { openReview } from "../../app/review/changes.ts";
import type { WorkspaceContext } from "../../app/setup/context.ts";
import { systemClock } from "../../base/clock.ts";
import { AgentError } from "../../base/errors.ts";
import { makeVisible, makeVisibleLine } from "../../base/text.ts";
import { counted } from "../view/style.ts";
import { afterEvent } from "./conversation/after-event.ts";
import { type Entry, word } from "./conversation/entry.ts";
import type { ChatState } from "./conversation/state.ts";
import type { Desk } from "./screen/desk.ts";

/** What of a conversation goes on in this process. */
export type Talk = {
  /** Of the run, or of the one that the next message begins. */
  context: WorkspaceContext;
  /** What a person named for a run that goes on; absent: its own. */
  readonly named: { readonly policy?: string; readonly model?: string };
  /** Of a new run. Throws `usage` where nobody named one. */
  readonly model: () => string;
  readonly desk: Desk;
  /** Settled once the conversation is over, with the exit code. */
  readonly left: PromiseWithResolvers<number>;
  state: ChatState;
  run: AbortController;
  calls: AbortController;
  inbox: ReturnType<typeof createInbox>;
  /** Something goes on that no run does. */
  isBusy: boolean;
  /** The exit code that a person left with while something went on. */
  leaving: number | null;
  /** Images that a pasted text names to be sent: a person may not have read so far. */
  readonly unseen: Set<string>;
  /** How many changes of the run wait, as far as it is known. */
  changes: number;
  /** What was said of the sandbox last. */
  opening: string;
};

export function show(talk: Talk, ...entries: readonly Entry[]): void {
  for (const entry of entries) talk.desk.show(entry);
}

export function change(talk: Talk, part: Partial<ChatState>): void {
  talk.state = { ...talk.state, ...part };
  talk.desk.refresh();
}

/** Takes what happened in the run. Calls of the next turn are stopped by a Ctrl-C of their own. */
export function takeEvent(talk: Talk, event: AgentEvent): void {
  if (event.kind === "turn-start") talk.calls = new AbortController();
  const { state, shown } = afterEvent(talk.state, event);
  // Whoever stopped it is told that it stops, not what it does meanwhile.
  change(talk, talk.state.phase === "stopping" ? { ...state, phase: "stopping", activity: talk.state.activity } : state);
  show(talk, ...shown);
}

/** Does something that may fail as a command does: the conversation goes on behind it. Any other fault ends it. Returns whether it was done. */
export async function attempt(talk: Talk, work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (error instanceof AgentError) show(talk, word(makeVisible(error.problem), "fault"), ...(error.remedy === null ? [] : [word(makeVisible(error.remedy))]));
    else talk.left.reject(error);
    return false;
  }
}

/** Ends the run that goes on, if one does. */
export function stopRun(talk: Talk): void {
  if (talk.state.phase === "idle" || talk.state.phase === "stopping") return;
  change(talk, { phase: "stopping", activity: { label: "stopping; Ctrl-C again ends the process at once", sinceMs: systemClock.nowMs() } });
  talk.run.abort();
}

/** Leaves once nothing goes on any more. */
export function leave(talk: Talk, exitCode: number): void {
  talk.leaving ??= exitCode;
  stopRun(talk);
  if (talk.state.phase === "idle" && !talk.isBusy) talk.left.resolve(talk.leaving);
}

/** Looks again at how many changes wait. */
export async function countChanges(talk: Talk): Promise<void> {
  const { runId } = talk.state;
  talk.changes = 0;
  if (runId === null) return;
  try {
    const review = await openReview(runId);
    talk.changes = review.count();
    await review.close();
  } catch (error) {
    // It left none.
    if (!(error instanceof AgentError)) throw error;
  }
}

/** How things stand, in one line: what matters most first. */
export function statusText({ context, state, changes }: Pick<Talk, "context" | "state" | "changes">): string {
  const parts = [
    state.phase === "idle" ? "/help" : "Ctrl-C stops",
    changes > 0 ? `${counted(changes, "change")} to /apply` : "",
    state.tokens > 0 ? counted(state.tokens, "token") : "",
    `policy ${context.policy.name}`,
    state.runId ?? "",
    state.model ?? "",
  ];
  return parts
    .filter((part) => part !== "")
    .map(makeVisibleLine)
    .join(" · ");
}
