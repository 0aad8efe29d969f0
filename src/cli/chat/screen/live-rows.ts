import { visibleWidth } from "@earendil-works/pi-tui";
import { makeVisibleLine } from "../../../base/text.ts";
import { formatDuration, paint } from "../../view/style.ts";
import { type ChatState, type LiveCall, liveCalls } from "../conversation/state.ts";
import { cut, wrap } from "./entry-rows.ts";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 120;
/** Of what the model says now, of what waits to be heard, and of calls that go on. */
const MAX_SAID_ROWS = 6;
const MAX_WAITING = 3;
const MAX_CALLS = 8;

export type Glance = { readonly columns: number; readonly nowMs: number };

/** What goes on now, above the line that a person types in. */
export function liveRows(state: ChatState, { columns, nowMs }: Glance): readonly string[] {
  const spinner = paint("cyan", FRAMES[Math.floor(nowMs / FRAME_MS) % FRAMES.length] ?? "");
  const said = state.saying === null || state.saying === "" ? [] : wrap(state.saying, columns, { first: "  ", more: "  " }).slice(-MAX_SAID_ROWS);
  const all = liveCalls(state);
  const calls = all.slice(-MAX_CALLS).map((call) => callRow(call, spinner, { columns, nowMs }));
  const more = all.length - calls.length;
  const waiting = state.waiting.slice(-MAX_WAITING).map(({ text, source }) => {
    const note = ` (${source === "steering" ? "heard behind the next results" : "when it is done"})`;
    return paint("dim", cut(`${cut(`> ${makeVisibleLine(text)}`, columns - note.length)}${note}`, columns));
  });
  return [
    ...(said.length === 0 || state.isSpeaking ? said : ["", ...said]),
    ...(more > 0 ? [paint("dim", `and ${String(more)} more calls`)] : []),
    ...calls,
    ...activityRows(state, spinner, { columns, nowMs }),
    ...waiting,
  ];
}

function callRow({ tool, what, verdict, startedAtMs, lastLine }: LiveCall, spinner: string, { columns, nowMs }: Glance): string {
  const time = verdict === "ask" ? "" : ` ${formatDuration(Math.max(0, nowMs - startedAtMs))}`;
  // The spinner takes two columns.
  const room = columns - 2 - time.length;
  const left = cut(`${tool}  ${what}`, lastLine === "" ? room : Math.floor(room * 0.6));
  const rest = room - visibleWidth(left);
  return `${spinner} ${left}${paint("dim", (lastLine === "" || rest < 4 ? "" : cut(` │ ${lastLine}`, rest)) + time)}`;
}

function activityRows({ activity, calls, saying, phase }: ChatState, spinner: string, { columns, nowMs }: Glance): readonly string[] {
  if (activity === null || (phase !== "stopping" && (calls.length > 0 || (saying ?? "") !== ""))) return [];
  const time = formatDuration(Math.max(0, nowMs - activity.sinceMs));
  return [`${spinner} ${cut(activity.label, columns - 3 - time.length)} ${paint("dim", time)}`];
}
