#!/usr/bin/env node
import { AgentError } from "../base/errors.ts";
import { makeVisible } from "../base/text.ts";
import { EXIT, exitCodeOf } from "./exit-code.ts";
import { watchOutput } from "./output-fault.ts";
import { readQuickCheck } from "./quick-check.ts";

/** The only general catch of the command line: whatever a command throws becomes a message and its exit code. */
async function main(argv: readonly string[]): Promise<number> {
  let exitCode: number = EXIT.done;
  try {
    const quick = readQuickCheck(argv.slice(2));
    if (quick !== null) return await (await import("./commands/check.ts")).check(quick.command, quick.options);
    const program = (await import("./program.ts")).buildProgram((code) => {
      exitCode = code;
    });
    await program.parseAsync([...argv]);
    return exitCode;
  } catch (error) {
    if (isCommanderError(error)) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    process.stderr.write(`warder: ${describe(error)}\n`);
    return exitCodeOf(error);
  }
}

function describe(error: unknown): string {
  if (error instanceof AgentError) return makeVisible(error.message);
  if (error instanceof Error) return makeVisible(`internal fault, nothing further was run: ${error.stack ?? error.message}`);
  return "internal fault, nothing further was run";
}

function isCommanderError(error: unknown): error is Error & { exitCode: number } {
  return error instanceof Error && "code" in error && typeof error.code === "string" && error.code.startsWith("commander.");
}

watchOutput();
const exitCode = await main(process.argv);
// A fault of the output, which may come earlier or later, has set its own.
process.exitCode ??= exitCode;
