import { closeSync, constants, openSync, readFileSync, readSync } from "node:fs";
import { isatty, ReadStream, WriteStream } from "node:tty";
import { styleText } from "node:util";
import type { Paint } from "../card-rows.ts";

const DEVICE = "/dev/tty";
const NO_TERMINAL = new Set(["ENXIO", "ENOENT", "EACCES", "ENODEV", "EIO", "EPERM", "ENOTTY"]);

/** A terminal that a person sits at, opened by ourselves: redirected or piped standard streams are never taken for a person. */
export type TerminalDevice = {
  /** As it is now: a person may draw the window larger or smaller at any time. */
  size(): { readonly columns: number; readonly rows: number };
  readonly paint: Paint;
  write(text: string): void;
  /** Throws away what was typed before now, so that no key pressed earlier answers a question. */
  flushInput(): void;
  /** The next keys, as text. Null: the terminal is gone, or the signal fired. */
  nextKeys(signal: AbortSignal): Promise<string | null>;
  close(): void;
};

/** Opens the controlling terminal in raw mode, or returns null when there is none, or a shell runs this process in the background. */
export function openTerminal(): TerminalDevice | null {
  // Reading from the background would not fail but stop the process (SIGTTIN): a run would hang without a word.
  if (!isInForeground()) return null;
  const file = openDevice(constants.O_RDWR | constants.O_NOCTTY);
  if (file === null) return null;
  if (!isatty(file)) {
    closeSync(file);
    return null;
  }
  const input = new ReadStream(file);
  const output = new WriteStream(file);
  // Raw: a half-typed line becomes readable (and can be thrown away), and nothing is echoed that we did not write.
  input.setRawMode(true);
  input.setEncoding("utf8");
  input.pause();
  return {
    size: sizeNow,
    paint: (style, text) => styleText(style, text, { stream: output, validateStream: true }),
    write: (text) => void output.write(text.replaceAll("\n", "\r\n")),
    flushInput: drainPending,
    nextKeys: (signal) => nextKeys(input, signal),
    close: () => {
      input.setRawMode(false);
      input.destroy();
      output.destroy();
    },
  };
}

/** Whether the terminal's foreground process group is ours: fields 5 and 8 of `/proc/self/stat` (proc(5)). */
function isInForeground(): boolean {
  const stat = readFileSync("/proc/self/stat", "utf8");
  const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return group !== undefined && group === foreground;
}

function openDevice(flags: number): number | null {
  try {
    return openSync(DEVICE, flags);
  } catch (error) {
    if (error instanceof Error && "code" in error && typeof error.code === "string" && NO_TERMINAL.has(error.code)) return null;
    throw error;
  }
}

/** Asked for anew each time: a stream keeps the size that it was opened with. */
function sizeNow(): { readonly columns: number; readonly rows: number } {
  const file = openDevice(constants.O_WRONLY | constants.O_NOCTTY);
  if (file === null) return { columns: 80, rows: 24 };
  const output = new WriteStream(file);
  const { columns, rows } = output;
  output.destroy();
  return { columns: columns > 0 ? columns : 80, rows: rows > 0 ? rows : 24 };
}

function drainPending(): void {
  const file = openDevice(constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  if (file === null) return;
  const buffer = Buffer.alloc(4096);
  try {
    // Bounded: a program that types without end must not hold us here; the prompt then reads what it types, and wants a valid answer.
    for (let round = 0; round < 1024; round += 1) {
      if (readSync(file, buffer) === 0) return;
    }
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "EAGAIN" || error.code === "EIO")) return;
    throw error;
  } finally {
    closeSync(file);
  }
}

function nextKeys(input: ReadStream, signal: AbortSignal): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const onData = (text: string): void => {
    resolve(text);
  };
  const onEnd = (): void => {
    resolve(null);
  };
  input.once("data", onData);
  input.once("end", onEnd);
  input.once("error", onEnd);
  signal.addEventListener("abort", onEnd, { once: true });
  if (signal.aborted) onEnd();
  else input.resume();
  return promise.finally(() => {
    input.pause();
    input.off("data", onData);
    input.off("end", onEnd);
    input.off("error", onEnd);
    signal.removeEventListener("abort", onEnd);
  });
}

/** Writes to the controlling terminal and nowhere else; false when there is none. */
export function showAtTerminal(text: string): boolean {
  const device = openTerminal();
  if (device === null) return false;
  try {
    device.write(text);
    return true;
  } finally {
    device.close();
  }
}
