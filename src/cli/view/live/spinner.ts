import { formatDuration, paint } from "../style.ts";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const CLEAR_LINE = "\r\u001b[2K";

export type Spinner = {
  /** Shows `label` and the time since this call, or since `sinceMs` of the performance clock, until {@link Spinner.stop}. */
  start(label: string, sinceMs?: number): void;
  /** Clears the line. Harmless when nothing is shown. */
  stop(): void;
};

/** A line with a spinner and elapsed time on a terminal; nothing at all elsewhere. */
export function createSpinner(stream: NodeJS.WriteStream): Spinner {
  let timer: NodeJS.Timeout | null = null;
  const stop = (): void => {
    if (timer === null) return;
    clearInterval(timer);
    timer = null;
    stream.write(CLEAR_LINE);
  };
  return {
    start(label, sinceMs = performance.now()) {
      stop();
      if (!stream.isTTY) return;
      let frame = 0;
      timer = setInterval(() => {
        const elapsed = formatDuration(performance.now() - sinceMs);
        stream.write(`${CLEAR_LINE}${paint("cyan", FRAMES[frame++ % FRAMES.length] ?? "", stream)} ${label} ${paint("dim", elapsed, stream)}`);
      }, 100);
      timer.unref();
    },
    stop,
  };
}
