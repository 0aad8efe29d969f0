import type { Command } from "commander";
import type { hook } from "../commands/hook/hook.ts";
import type { installHook, uninstallHook } from "../commands/hook/install.ts";
import { example, POLICY_HELP } from "./help.ts";

type SetExitCode = (code: number) => void;

/** The command that other agents ask before each of their calls, and those that have them ask. */
export function addHook(program: Command, setExitCode: SetExitCode): void {
  const command = program
    .command("hook")
    .enablePositionalOptions()
    .description("answer another agent's hook: judge the call on standard input by your policy")
    .argument("<agent>", "claude-code, codex, gemini, qwen, cursor, copilot, vscode, kiro, opencode or pi")
    .option("--policy <file>", POLICY_HELP, "supervised")
    .option("--workspace <directory>", "the workspace (default: the repository that the agent's session began in)")
    .option("--shadow", "record what would have been decided, and let the agent decide")
    .option("--in-line", "end with 90 or 92 in place of 0 or 2, as installed lines take for an answer")
    .addHelpText("after", example("warder hook claude-code < EVENT.json"))
    .action(async (agent: string, options: Parameters<typeof hook>[1]) => setExitCode(await (await import("../commands/hook/hook.ts")).hook(agent, options)));
  command
    .command("install <agent>")
    .description("have an agent ask Warder before each of its calls; the change of its configuration is shown first")
    .option("--project", "in the configuration of the project in this directory, and not in your own")
    .option("--policy <file>", POLICY_HELP, "supervised")
    .option("--shadow", "record what would have been decided, and let the agent decide")
    .option("--yes", "change it without a question")
    .addHelpText("after", example("warder hook install claude-code"))
    .action(async (agent: string, options: Parameters<typeof installHook>[1]) =>
      setExitCode(await (await import("../commands/hook/install.ts")).installHook(agent, options)),
    );
  command
    .command("uninstall <agent>")
    .description("take the hook out of an agent's configuration")
    .option("--project", "out of the configuration of the project in this directory, and not of your own")
    .option("--yes", "change it without a question")
    .addHelpText("after", example("warder hook uninstall claude-code"))
    .action(async (agent: string, options: Parameters<typeof uninstallHook>[1]) =>
      setExitCode(await (await import("../commands/hook/install.ts")).uninstallHook(agent, options)),
    );
  command
    .command("doctor [agent]")
    .description("give each installed hook a call that no policy allows, and see whether it blocks")
    .addHelpText("after", example("warder hook doctor"))
    .action(async (agent: string | undefined) => setExitCode((await import("../commands/hook/install.ts")).hookDoctor(agent)));
}
