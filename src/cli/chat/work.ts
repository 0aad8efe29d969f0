import { createInbox, type Words } from "../../agent/inbox.ts";
import { openingText } from "../../app/run/opening.ts";
import { readContext } from "../../app/setup/context.ts";
import { systemClock } from "../../base/clock.ts";
import { makeVisible, makeVisibleLine } from "../../base/text.ts";
import { waitingText } from "../view/run-summary.ts";
import { counted } from "../view/style.ts";
import { word } from "./conversation/entry.ts";
import type { ChatState } from "./conversation/state.ts";
import { attempt, change, leave, show, takeEvent, type Talk } from "./talk.ts";
import { performTask, type TaskEnd } from "../../app/conversation/task.ts";

const AT_REST: Partial<ChatState> = {
  phase: "idle",
  saying: null,
  isSpeaking: false,
  calls: [],
  children: [],
  activity: null,
  waiting: [],
  interruptedAtMs: null,
};

/** Has what a person said carried out, and what they said meanwhile; null: the run goes on with what it had to do. */
export async function work(talk: Talk, said: Words | null): Promise<void> {
  for (let next = said, isFirst = true; isFirst || next !== null; isFirst = false) next = await once(talk, next);
  if (talk.leaving !== null) leave(talk, talk.leaving);
}

function together(all: readonly Words[]): Words {
  const images = all.flatMap((words) => words.images ?? []);
  return { text: all.map(({ text }) => text).join("\n\n"), ...(images.length > 0 && { images }) };
}

/** Returns what is left to be said. */
async function once(talk: Talk, said: Words | null): Promise<Words | null> {
  const { runId } = talk.state;
  talk.run = new AbortController();
  talk.calls = new AbortController();
  talk.inbox = createInbox();
  let hasBegun = false;
  change(talk, { ...AT_REST, phase: "opening", activity: { label: "opening the sandbox", sinceMs: systemClock.nowMs() } });
  if (said !== null) show(talk, { kind: "person", text: makeVisible(said.text), note: "" });
  let end: TaskEnd | null = null;
  await attempt(talk, async () => {
    end = await performTask(said?.text ?? null, runId, {
      ...(said?.images && { images: said.images }),
      context: () => readContext(talk.context.policyNamed, talk.context.workspace),
      model: talk.model,
      named: talk.named,
      inbox: talk.inbox,
      signal: talk.run.signal,
      callSignal: () => talk.calls.signal,
      lendTerminal: talk.desk.lend,
      emit: (event) => {
        hasBegun = true;
        takeEvent(talk, event);
      },
      onOpen: (opening) => {
        const text = openingText(opening);
        if (text !== talk.opening) show(talk, word(text, "quiet"));
        talk.opening = text;
        change(talk, { activity: { label: "thinking", sinceMs: systemClock.nowMs() } });
      },
    });
  });
  const unheard = [...talk.inbox.takeSteering(), ...talk.inbox.takeFollowUps()];
  change(talk, AT_REST);
  const isOver = tell(talk, end);
  if (isOver && unheard.length > 0 && talk.leaving === null) return together(unheard);
  const back = hasBegun || said === null ? unheard : [said, ...unheard];
  if (back.length > 0 && talk.desk.isInputEmpty()) talk.desk.setInput(together(back).text);
  return null;
}

/** Says how it ended. Returns whether a person may be heard at once: nobody stopped it, and nothing failed. */
function tell(talk: Talk, end: TaskEnd | null): boolean {
  if (end === null) return false;
  if (end.kind === "waiting") show(talk, ...waitingText(end.runId, end.approvalId).map((line) => word(line, "warning")));
  if (end.kind === "refused") show(talk, word(`${makeVisibleLine(end.by)} refused to let ${end.runId} go on under the changed policy.`, "warning"));
  if (end.kind !== "ran") return false;
  const { summary, end: ending } = end.result;
  talk.changes = summary.changes?.count ?? 0;
  if (ending.kind === "parked") show(talk, ...waitingText(end.result.runId, ending.approvalId).map((line) => word(line, "warning")));
  const reason = ending.reason === "" ? "" : `: ${makeVisible(ending.reason)}`;
  if (ending.kind === "cancelled") show(talk, word("Stopped. Say what to do instead, or /resume goes on with it.", "warning"));
  else if (ending.kind === "limit") show(talk, word(`limit${reason} /new begins another run.`, "warning"));
  else if (ending.kind !== "done" && ending.kind !== "parked") show(talk, word(`${ending.kind}${reason}`, "fault"));
  if (talk.changes > 0) show(talk, word(`${counted(talk.changes, "change")} ${talk.changes === 1 ? "waits" : "wait"}: /changes shows, /apply lands.`, "quiet"));
  return ending.kind === "done" || ending.kind === "denied";
}
