import { AgentError } from "../base/errors.ts";
import { EXIT } from "./process/exit-code.ts";
import { runToItsEnd } from "./process/run-command.ts";
import { answerQuickly } from "./answer-quickly.ts";
import { announceWaits } from "./view/lock-wait.ts";

/** Runs the command line; `argv` as in `process.argv`. */
export async function start(argv: readonly string[]): Promise<void> {
  if (!(await answerQuickly(argv.slice(2)))) await runToItsEnd(() => run(argv));
}

async function run(argv: readonly string[]): Promise<number> {
  let exitCode: number = EXIT.done;
  announceWaits();
  try {
    const program = (await import("./program/program.ts")).buildProgram((code) => {
      exitCode = code;
    });
    const isForChat = argv.length === 2 && process.stdin.isTTY && (await import("./chat/place.ts")).isForChat();
    await program.parseAsync(isForChat ? [...argv, "chat"] : [...argv]);
    return exitCode;
  } catch (error) {
    if (isCommanderError(error)) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    if (await isRepaired(error)) return await run(argv);
    throw error;
  }
}

/** Whether a person had the sandbox image made that was missing. */
async function isRepaired(error: unknown): Promise<boolean> {
  if (!(error instanceof AgentError) || error.code !== "sandbox-unavailable") return false;
  const { isImageMade } = await import("./process/offer-setup.ts");
  return await isImageMade(error, async () => await (await import("./commands/setup.ts")).make());
}

function isCommanderError(error: unknown): error is Error & { exitCode: number } {
  return error instanceof Error && "code" in error && typeof error.code === "string" && error.code.startsWith("commander.");
}
