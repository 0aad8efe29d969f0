import type { Command } from "commander";
import type { hook } from "../commands/hook/hook.ts";
import { example, POLICY_HELP } from "./help.ts";

type SetExitCode = (code: number) => void;

/** The command that other agents ask before each of their calls. */
export function addHook(program: Command, setExitCode: SetExitCode): void {
  program
    .command("hook <agent>")
    .description("answer another agent's hook: judge the call on standard input by your policy")
    .option("--policy <file>", POLICY_HELP, "supervised")
    .option("--workspace <directory>", "the workspace (default: the repository that the agent's session began in)")
    .option("--shadow", "record what would have been decided, and let the agent decide")
    .addHelpText("after", example("warder hook claude-code < EVENT.json"))
    .action(async (agent: string, options: Parameters<typeof hook>[1]) => setExitCode(await (await import("../commands/hook/hook.ts")).hook(agent, options)));
}
