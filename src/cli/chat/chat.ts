import { createInbox } from "../../agent/inbox.ts";
import { modelsOfNewRun } from "../../app/models/configured.ts";
import { newestRunOf } from "../../app/run/further-task.ts";
import { withRecords } from "../../app/records/records.ts";
import type { WorkspaceContext } from "../../app/setup/context.ts";
import { systemClock } from "../../base/clock.ts";
import { AgentError } from "../../base/errors.ts";
import { makeVisibleLine } from "../../base/text.ts";
import { withScriptFrom } from "../../config/script-file.ts";
import { readContextAsking } from "../commands/policy/asking.ts";
import { EXIT } from "../process/exit-code.ts";
import { reviewText } from "../view/run-summary.ts";
import { word } from "./conversation/entry.ts";
import { interruption } from "./conversation/interrupt.ts";
import { BEGINNING } from "./conversation/state.ts";
import { readTyped, type Typed } from "./conversation/typed.ts";
import { LOOKS, runReminder, runsHere } from "./orders.ts";
import { canChat } from "./place.ts";
import { openDesk } from "./screen/desk.ts";
import { attempt, change, countChanges, leave, show, statusText, stopRun, type Talk } from "./talk.ts";
import { contextOf, isStopped } from "../../app/conversation/task.ts";
import { takePaste, withImages } from "./images.ts";
import { takePrompt } from "./prompts.ts";
import { work } from "./work.ts";

export type ChatOptions = {
  readonly policy?: string;
  readonly model?: string;
  readonly workspace?: string;
  /** True: the newest run of the workspace. */ readonly resume?: string | true;
};

const MAX_HISTORY = 100;
/** While a run works, these would change what it works on. */
const ONLY_AT_REST: ReadonlySet<string> = new Set(["apply", "undo", "resume", "new"]);
const HANGUPS = ["SIGTERM", "SIGHUP"] as const;

/** `warder chat`: a conversation with an agent, over the same loop, door and sandbox as `warder run`. Throws `usage` where there is no terminal. */
export async function chat(options: ChatOptions): Promise<number> {
  if (!canChat()) {
    throw new AgentError("usage", "A conversation needs a terminal that can move its cursor.", { remedy: 'Without one: warder run "fix the failing test"' });
  }
  const { workspace = "." } = options;
  // What cannot be used is told before the terminal is taken.
  const resumed = options.resume === true ? newestRunOf(workspace) : (options.resume ?? null);
  const talk = open(options, resumed === null ? await readContextAsking(options.policy ?? "reviewed", workspace, true) : contextOf(resumed, options.policy));
  const onInterrupt = (): void => interrupt(talk);
  const onHangup = (): void => leave(talk, EXIT.interrupted);
  process.on("SIGINT", onInterrupt);
  for (const name of HANGUPS) process.on(name, onHangup);
  for (const name of ["end", "error"] as const) process.stdin.on(name, onHangup);
  try {
    show(talk, word("Warder: /help says what can be typed."), word(makeVisibleLine(talk.context.workspace), "quiet"));
    if (resumed !== null) void idly(talk, () => takeUp(talk, resumed));
    return await talk.left.promise;
  } finally {
    talk.desk.close();
    process.off("SIGINT", onInterrupt);
    for (const name of HANGUPS) process.off(name, onHangup);
    for (const name of ["end", "error"] as const) process.stdin.off(name, onHangup);
    if (talk.state.runId !== null) process.stdout.write(farewell(talk, talk.state.runId));
  }
}

function open({ policy, model, resume }: ChatOptions, context: WorkspaceContext): Talk {
  const named = model === undefined ? undefined : withScriptFrom(process.cwd(), model);
  const modelOfNew = (): string => modelsOfNewRun(model);
  if (resume === undefined) modelOfNew();
  const desk = openDesk({
    state: () => talk.state,
    status: () => statusText(talk),
    onSubmit: (text) => void take(talk, readTyped(text)),
    onInterrupt: () => interrupt(talk),
    onLeave: () => leave(talk, EXIT.done),
    onPaste: (text) => takePaste(talk, text),
    history: saidBefore(context),
  });
  const talk: Talk = {
    context,
    named: { ...(policy === undefined ? {} : { policy }), ...(named === undefined ? {} : { model: named }) },
    model: modelOfNew,
    desk,
    left: Promise.withResolvers(),
    state: BEGINNING,
    run: new AbortController(),
    calls: new AbortController(),
    inbox: createInbox(),
    isBusy: false,
    leaving: null,
    changes: 0,
    unseen: new Set(),
    opening: "",
  };
  return talk;
}

/** The tasks of earlier runs of this workspace, the oldest first. */
function saidBefore({ workspace }: WorkspaceContext): readonly string[] {
  const rows = withRecords(({ store }) => store.runs.list(MAX_HISTORY));
  return rows.flatMap((row) => (row.workspace === workspace && row.task !== null ? [row.task] : [])).toReversed();
}

/** Does what a person typed. */
async function take(talk: Talk, typed: Typed): Promise<void> {
  change(talk, { interruptedAtMs: null });
  if (typed.kind === "nothing") return;
  if (typed.kind === "unknown-order")
    return show(talk, word(`There is no /${typed.name}. /help says what there is; // begins a message with a slash.`, "warning"));
  if (typed.kind === "prompt") return await idly(talk, () => takePrompt(talk, typed));
  if (typed.kind === "message") return await say(talk, typed.text, "steering");
  const { name, rest } = typed;
  if (name === "quit") return leave(talk, EXIT.done);
  if (name === "later") return rest === "" ? show(talk, word("/later TEXT", "warning")) : await say(talk, rest, "follow-up");
  if (ONLY_AT_REST.has(name) && talk.state.phase !== "idle")
    return show(talk, word(`/${name} waits until the run has ended: Ctrl-C twice ends it.`, "warning"));
  await idly(talk, () => obey(talk, name, rest));
}

async function obey(talk: Talk, name: Exclude<Extract<Typed, { kind: "order" }>["name"], "quit" | "later">, rest: string): Promise<void> {
  if (name === "new") {
    change(talk, { ...BEGINNING });
    talk.changes = 0;
    return show(talk, word("The next message begins another run.", "quiet"));
  }
  if (name === "resume") {
    const { runId } = talk.state;
    if (rest !== "") return await takeUp(talk, rest);
    return runId !== null && isStopped(runId) ? void work(talk, null) : show(talk, ...runsHere(talk.context, process.stdout.columns));
  }
  const { desk, context, state, run } = talk;
  show(talk, ...(await LOOKS[name]({ runId: state.runId, context, columns: process.stdout.columns, lend: desk.lend, signal: run.signal }, rest)));
  if (name === "apply" || name === "undo") await countChanges(talk);
}

/** One thing at a time that no run does. */
async function idly(talk: Talk, act: () => Promise<void>): Promise<void> {
  if (talk.isBusy) return show(talk, word("One moment: the last order still goes on.", "warning"));
  talk.isBusy = true;
  await attempt(talk, act);
  talk.isBusy = false;
  talk.desk.refresh();
  if (talk.leaving !== null) leave(talk, talk.leaving);
}

async function say(talk: Talk, text: string, source: "steering" | "follow-up"): Promise<void> {
  const words = withImages(talk, text);
  if (words === null) return;
  if (talk.state.phase === "idle") return talk.isBusy ? show(talk, word("One moment: the last order still goes on.", "warning")) : await work(talk, words);
  if (source === "steering") talk.inbox.steer(text, words.images);
  else talk.inbox.followUp(text, words.images);
  change(talk, { waiting: [...talk.state.waiting, { text, source }] });
}

/** Comes back to a run, with what was said last. */
async function takeUp(talk: Talk, runId: string): Promise<void> {
  const context = contextOf(runId, talk.named.policy);
  const reminder = await runReminder(runId);
  talk.context = context;
  change(talk, { ...BEGINNING, runId });
  show(talk, ...reminder);
  await countChanges(talk);
  show(talk, word(isStopped(runId) ? "It was stopped on its way: /resume goes on with it, or say what to do instead." : "Say what is next.", "quiet"));
}

function interrupt(talk: Talk): void {
  const atMs = systemClock.nowMs();
  switch (interruption(talk.state, { atMs, isInputEmpty: talk.desk.isInputEmpty() })) {
    case "clear-input":
      return talk.desk.setInput("");
    case "ask-to-leave":
      change(talk, { interruptedAtMs: atMs });
      return show(talk, word("Ctrl-C again leaves.", "quiet"));
    case "leave":
      return leave(talk, EXIT.done);
    case "stop-calls":
      change(talk, { interruptedAtMs: atMs });
      show(talk, word(talk.state.calls.length > 0 ? "Stopping what runs; Ctrl-C again ends the run." : "Ctrl-C again ends the run.", "warning"));
      return talk.calls.abort();
    case "stop-run":
      return stopRun(talk);
    case "end-process":
      talk.desk.close();
      process.exit(EXIT.interrupted);
  }
}

function farewell({ changes }: Talk, runId: string): string {
  return `Go on: warder chat --resume ${runId}\n${changes > 0 ? `${reviewText(runId)}\n` : ""}`;
}
