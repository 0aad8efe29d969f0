import { runToItsEnd } from "./process/run-command.ts";
import { readQuickCheck } from "./quick-check.ts";
import { readQuickHook } from "./quick-hook.ts";

/**
 * Answers what other agents start for every call: `warder check` and `warder hook`, in their plainest forms. False: `argv` (without program and script) is
 * none of them, and nothing was done.
 */
export async function answerQuickly(argv: readonly string[]): Promise<boolean> {
  const check = readQuickCheck(argv);
  const hook = check === null ? readQuickHook(argv) : null;
  if (check !== null) await runToItsEnd(async () => await (await import("./commands/check/check.ts")).check(check.command, check.options));
  if (hook !== null) await runToItsEnd(async () => await (await import("./commands/hook/hook.ts")).hook(hook.agent, hook.options));
  return check !== null || hook !== null;
}
