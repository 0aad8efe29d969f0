import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { quote } from "shell-quote";
import { PATIENCE_MS } from "./until.ts";

const PROGRAMS = join(import.meta.dirname, "programs");

/** A program of test/support/programs on a real pseudo-terminal of its own, made by script(1). */
export type TerminalSession = {
  /** Everything the terminal showed so far. */
  shown(): string;
  /** Resolves when the terminal has shown `text` `times` times. */
  shows(text: string, times?: number): Promise<void>;
  type(keys: string): void;
  readonly ended: Promise<unknown>;
};

export function startAtTerminal(name: string, ...programArguments: readonly string[]): TerminalSession {
  return startCommandAtTerminal(programCommand(name, ...programArguments));
}

/** The shell command that runs a program of test/support/programs. */
export function programCommand(name: string, ...programArguments: readonly string[]): string {
  return quote([process.execPath, join(PROGRAMS, `${name}.ts`), ...programArguments]);
}

/** The same for any shell command. */
export function startCommandAtTerminal(command: string): TerminalSession {
  const program = spawn("script", ["--quiet", "--return", "--flush", "--command", command, "/dev/null"], { stdio: ["pipe", "pipe", "inherit"] });
  let shown = "";
  program.stdout.setEncoding("utf8");
  program.stdout.on("data", (chunk: string) => {
    shown += chunk;
  });
  const patience = setTimeout(() => {
    shown += `\n(ended after ${PATIENCE_MS / 1_000} s)`;
    program.kill("SIGKILL");
  }, PATIENCE_MS);
  const ended = once(program, "close").finally(() => clearTimeout(patience));
  return {
    shown: () => shown,
    shows: async (text, times = 1) => {
      while (shown.split(text).length <= times) {
        const isOver = await Promise.race([once(program.stdout, "data").then(() => false), ended.then(() => true)]);
        if (isOver && shown.split(text).length <= times) throw new Error(`the terminal never showed ${JSON.stringify(text)}; it showed:\n${shown}`);
      }
    },
    type: (keys) => void program.stdin.write(keys),
    ended,
  };
}
