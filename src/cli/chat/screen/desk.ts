import { Container, isKeyRelease, matchesKey } from "@earendil-works/pi-tui";
import { makeVisible } from "../../../base/text.ts";
import { systemClock } from "../../../base/clock.ts";
import type { Entry } from "../conversation/entry.ts";
import type { ChatState } from "../conversation/state.ts";
import { asPaste, pastedText, safeKeys } from "../conversation/typed.ts";
import { ChatEditor } from "./chat-editor.ts";
import { ChatScreen } from "./chat-screen.ts";
import { entryRows } from "./entry-rows.ts";
import { liveRows } from "./live-rows.ts";

const SPIN_MS = 120;

export type DeskOptions = {
  readonly state: () => ChatState;
  /** What stands in the bar above the line that is typed in. */
  readonly status: () => string;
  readonly onSubmit: (text: string) => void;
  readonly onInterrupt: () => void;
  readonly onLeave: () => void;
  /** What a person pasted, and what stands in the line for it. */
  readonly onPaste: (text: string) => string;
  /** What was said before, the oldest first. */
  readonly history: readonly string[];
};

/** The terminal of a conversation: what was shown, what goes on, and where a person types. */
export type Desk = {
  readonly show: (entry: Entry) => void;
  /** Draws again, because something else is so now. */
  readonly refresh: () => void;
  readonly isInputEmpty: () => boolean;
  readonly setInput: (text: string) => void;
  /** Gives the terminal to something else for as long as it takes. */
  readonly lend: <Answer>(work: () => Promise<Answer>) => Promise<Answer>;
  readonly close: () => void;
};

/** Takes the terminal. `close` gives it back as it was. */
export function openDesk({ state, status, onSubmit, onInterrupt, onLeave, onPaste, history }: DeskOptions): Desk {
  const screen = new ChatScreen();
  const live = new Container();
  live.render = (columns) => liveRows(state(), { columns, nowMs: systemClock.nowMs() });
  const editor = new ChatEditor(screen, status);
  for (const text of history) editor.addToHistory(makeVisible(text));
  editor.onSubmit = (text) => {
    if (text.trim() !== "") editor.addToHistory(text);
    onSubmit(text);
  };
  for (const part of [live, editor]) screen.addChild(part);
  screen.setFocus(editor);
  screen.addInputListener((data) => {
    if (isKeyRelease(data)) return { consume: true };
    if (matchesKey(data, "ctrl+c")) onInterrupt();
    else if (matchesKey(data, "ctrl+d") && editor.getText() === "") onLeave();
    else {
      const pasted = pastedText(data);
      return { data: safeKeys(pasted === null ? data : asPaste(onPaste(pasted))) };
    }
    screen.requestRender();
    return { consume: true };
  });
  const spinning = setInterval(() => {
    if (state().phase !== "idle") screen.requestRender();
  }, SPIN_MS);
  let isClosed = false;
  screen.start();
  return {
    show: (entry) => screen.show((columns) => entryRows(entry, columns)),
    refresh: () => screen.requestRender(),
    isInputEmpty: () => editor.getText() === "",
    setInput: (text) => editor.setText(text),
    lend: async (work) => {
      screen.stop();
      try {
        return await work();
      } finally {
        if (!isClosed) screen.start();
      }
    },
    close: () => {
      isClosed = true;
      clearInterval(spinning);
      screen.stop();
    },
  };
}
