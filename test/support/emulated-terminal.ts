import { readFileSync } from "node:fs";
import xterm from "@xterm/headless";
import { type IPty, spawn } from "@lydell/node-pty";
import { until, within } from "./until.ts";
import { type Place, WARDER } from "./warder-cli.ts";

/** The command line at a real pseudo-terminal whose screen a real terminal emulator draws: it also answers what a program asks of a terminal. */
export type EmulatedTerminal = {
  readonly pid: number;
  /** The rows on the screen now, from top to bottom, blanks at their ends cut. */
  rows(): readonly string[];
  /** The same with all that scrolled off the top. */
  all(): readonly string[];
  /** Resolves when a row on the screen, or above it, matches. */
  shows(pattern: RegExp): Promise<void>;
  type(keys: string): void;
  resize(columns: number, rows: number): Promise<void>;
  /** Everything that was written to the terminal. */
  written(): string;
  /** Modes that a program has set and not given back. */
  modes(): { readonly bracketedPaste: boolean; readonly cursorHidden: boolean };
  /** As a window that is closed. */
  hangUp(): void;
  readonly ended: Promise<{ readonly exitCode: number; readonly signal: number | undefined }>;
};

/** As long as one step may take on a busy machine. */
const PATIENCE_MS = 60_000;

export function warderInTerminal(
  place: Place,
  argv: readonly string[],
  { columns = 80, rows = 24, environment = {} }: { columns?: number; rows?: number; environment?: Readonly<Record<string, string>> } = {},
): EmulatedTerminal {
  const env = { ...process.env, HOME: place.home, WARDER_HOME: place.state, TERM: "xterm-256color", ...environment } as Record<string, string>;
  const screen = new xterm.Terminal({ cols: columns, rows, scrollback: 5_000, allowProposedApi: true });
  const pty: IPty = spawn(WARDER, [...argv], { cols: columns, rows, cwd: place.workspace, env, name: env["TERM"] ?? "xterm-256color" });
  let written = "";
  let pending = 0;
  let isCursorHidden = false;
  let hasEnded = false;
  pty.onData((data) => {
    written += data;
    pending += 1;
    screen.write(data, () => (pending -= 1));
    for (const [, mode] of data.matchAll(/\u001b\[\?25([hl])/gu)) isCursorHidden = mode === "l";
  });
  // The emulator's answers, such as what kind of terminal it is.
  screen.onData((data) => {
    if (!hasEnded) pty.write(data);
  });
  const ended = new Promise<{ exitCode: number; signal: number | undefined }>((resolve) => {
    pty.onExit(({ exitCode, signal }) => {
      hasEnded = true;
      resolve({ exitCode, signal });
    });
  });
  const lines = (from: number, to: number): readonly string[] =>
    Array.from(
      { length: to - from },
      (_, index) =>
        screen.buffer.active
          .getLine(from + index)
          ?.translateToString(true)
          .trimEnd() ?? "",
    );
  const all = (): readonly string[] => lines(0, screen.buffer.active.length);
  return {
    pid: pty.pid,
    rows: () => lines(screen.buffer.active.baseY, screen.buffer.active.baseY + screen.rows),
    all,
    shows: async (pattern) => {
      const isThere = (): boolean => pending === 0 && all().some((row) => pattern.test(row));
      await until(`the terminal shows ${String(pattern)}`, () => isThere() || hasEnded, PATIENCE_MS).catch(() => undefined);
      if (!isThere()) throw new Error(`the terminal never showed ${String(pattern)}; it showed:\n${all().join("\n")}`);
    },
    type: (keys) => pty.write(keys),
    resize: async (cols, height) => {
      await stopAsItWaits(pty.pid);
      try {
        // What it drew for the old size is drawn before the window changes: else the emulator would draw it in the new one.
        let seen = -1;
        await until("all that it drew is drawn", () => {
          const isAll = seen === written.length && pending === 0;
          seen = written.length;
          return isAll;
        });
        pty.resize(cols, height);
        screen.resize(cols, height);
      } finally {
        process.kill(pty.pid, "SIGCONT");
      }
      await until("the window has its size", () => pending === 0);
    },
    written: () => written,
    modes: () => ({ bracketedPaste: screen.modes.bracketedPasteMode, cursorHidden: isCursorHidden }),
    hangUp: () => pty.kill("SIGHUP"),
    get ended() {
      return within(`the end of ${argv.join(" ")}`, ended, () => all().join("\n"), PATIENCE_MS);
    },
  };
}

/** epoll_wait and epoll_pwait of x86-64, and the latter of arm64. */
const WAITS = new Set(["232", "281", "22"]);

/** Stops a process of Node.js between two things that it does: not with a frame that it has begun and not written. */
async function stopAsItWaits(pid: number): Promise<void> {
  const of = (file: string): string => readFileSync(`/proc/${String(pid)}/${file}`, "utf8");
  await until(`process ${String(pid)} waits`, async () => {
    process.kill(pid, "SIGSTOP");
    await until(`process ${String(pid)} stands still`, () => / T \d+/u.test(of("stat")), PATIENCE_MS);
    if (WAITS.has(of("syscall").split(" ")[0] ?? "")) return true;
    process.kill(pid, "SIGCONT");
    return false;
  });
}
