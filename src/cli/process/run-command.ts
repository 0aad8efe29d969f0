import { AgentError } from "../../base/errors.ts";
import { makeVisible } from "../../base/text.ts";
import { exitCodeOf } from "./exit-code.ts";
import { watchOutput } from "./output-fault.ts";

/**
 * Runs a command and sets the exit code of the process. This is the only general catch of the command line: an exception becomes a message and its exit
 * code.
 */
export async function runToItsEnd(work: () => Promise<number>): Promise<void> {
  watchOutput();
  const exitCode = await exitCodeAfter(work);
  // A fault of the output, which may come earlier or later, has set its own.
  process.exitCode ??= exitCode;
}

async function exitCodeAfter(work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    process.stderr.write(`warder: ${describe(error)}\n`);
    return exitCodeOf(error);
  }
}

function describe(error: unknown): string {
  if (error instanceof AgentError) return makeVisible(error.remedy === null ? error.problem : `${error.problem}\n  ${error.remedy}`);
  if (error instanceof Error) return makeVisible(`internal fault, nothing further was run: ${error.stack ?? error.message}`);
  return "internal fault, nothing further was run";
}
