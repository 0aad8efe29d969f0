#!/usr/bin/env node
import { EXIT } from "./exit-code.ts";
import { runToItsEnd } from "./ending.ts";
import { answerQuickly } from "./quick-check.ts";
import { announceWaits } from "./wait-notice.ts";

async function main(argv: readonly string[]): Promise<number> {
  let exitCode: number = EXIT.done;
  announceWaits();
  try {
    const program = (await import("./program.ts")).buildProgram((code) => {
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
