import { makeVisible } from "../../../base/text.ts";
import { formatDuration } from "../style.ts";
import { createSpinner } from "./spinner.ts";

/** How long nothing may be said where no spinner can turn. */
const QUIET_MS = 10_000;

export type Progress = {
  /** What goes on from now on. */
  readonly phase: (label: string) => void;
  /** Output of what goes on, shown as it comes. */
  readonly text: (text: string) => void;
  /** Harmless when nothing goes on. */
  readonly end: () => void;
};

/** Shows that something goes on that takes long: a spinner on a terminal; elsewhere a line for each phase, and one whenever nothing was said for ten seconds. */
export function createProgress(stream: NodeJS.WriteStream): Progress {
  const spinner = createSpinner(stream);
  let now: { readonly label: string; readonly sinceMs: number } | null = null;
  let isAtLineStart = true;
  let timer: NodeJS.Timeout | null = null;
  const quiet = (): void => {
    if (timer !== null) clearInterval(timer);
    timer = null;
    spinner.stop();
  };
  const wait = (): void => {
    if (now === null) return;
    const { label, sinceMs } = now;
    if (stream.isTTY) {
      if (isAtLineStart) spinner.start(label, sinceMs);
      return;
    }
    timer = setInterval(() => {
      stream.write(`${isAtLineStart ? "" : "\n"}… ${label}, ${formatDuration(performance.now() - sinceMs)}\n`);
      isAtLineStart = true;
    }, QUIET_MS);
    timer.unref();
  };
  const write = (text: string): void => {
    quiet();
    stream.write(text);
    isAtLineStart = text.endsWith("\n");
  };
  return {
    phase(label) {
      quiet();
      now = { label, sinceMs: performance.now() };
      if (!isAtLineStart) write("\n");
      if (!stream.isTTY) write(`${label} …\n`);
      wait();
    },
    text(text) {
      if (text === "") return;
      write(makeVisible(text));
      wait();
    },
    end() {
      quiet();
      now = null;
    },
  };
}
