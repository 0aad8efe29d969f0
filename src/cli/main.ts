#!/usr/bin/env node
import { EXIT } from "./process/exit-code.ts";
import { runToItsEnd } from "./process/run-command.ts";
import { answerQuickly } from "./quick-check.ts";
import { announceWaits } from "./view/lock-wait.ts";

async function main(argv: readonly string[]): Promise<number> {
  let exitCode: number = EXIT.done;
  announceWaits();
  try {
    const program = (await import("./program/program.ts")).buildProgram((code) => {
      exitCode = code;
    });
    await program.parseAsync([...argv]);
    return exitCode;
  } catch (error) {
    if (isCommanderError(error)) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    throw error;
  }
}

function isCommanderError(error: unknown): error is Error & { exitCode: number } {
  return error instanceof Error && "code" in error && typeof error.code === "string" && error.code.startsWith("commander.");
}

if (!(await answerQuickly(process.argv.slice(2)))) await runToItsEnd(() => main(process.argv));
