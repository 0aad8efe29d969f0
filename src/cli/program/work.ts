import { type Command, Option } from "commander";
import type { changes as reviewChanges } from "../commands/changes.ts";
import type { check } from "../commands/check/check.ts";
import type { exec } from "../commands/exec.ts";
import type { run } from "../commands/run.ts";
import { POLICY_HELP, example, groupHelp } from "./help.ts";

type SetExitCode = (code: number) => void;

/** The commands that run something, or say what would be decided about it. */
export function addWork(program: Command, setExitCode: SetExitCode): void {
  program
    .command("run [task]")
    .description("run an agent on a task")
    .addOption(new Option("--policy <file>", `${POLICY_HELP}; default supervised, or unattended with --unattended`))
    .option("--model <provider:name>", "anthropic:NAME, openai:NAME, google:NAME, openai-compatible:NAME, ollama:NAME or scripted:FILE; default $WARDER_MODEL")
    .option("--workspace <directory>", 'what the agent works on; default "."')
    .option("--unattended", "nobody is here: never ask, wait for an answer or go without")
    .option("--resume <run>", "go on with a run that waits for an answer, was killed or interrupted, as it was started")
    .option("--json", "stream the events as JSON lines")
    .addHelpText("after", example('warder run --model anthropic:claude-sonnet-4-5 "fix the failing test"'))
    .action(async (task: string | undefined, options: Parameters<typeof run>[1]) => setExitCode(await (await import("../commands/run.ts")).run(task, options)));
  program
    .command("exec")
    .description("one command through gate and sandbox")
    .argument("<command...>", "the command, after --")
    .option("--policy <file>", POLICY_HELP, "supervised")
    .option("--workspace <directory>", "the workspace", ".")
    .option("--json", "one JSON object: the ruling and the outcome")
    .addHelpText("after", example("warder exec --policy supervised -- 'git status'"))
    .action(async (words: string[], options: Parameters<typeof exec>[1]) => setExitCode(await (await import("../commands/exec.ts")).exec(words, options)));
  program
    .command("check [command]")
    .description("the verdict on a command; nothing runs")
    .option("--policy <file>", POLICY_HELP, "supervised")
    .option("--workspace <directory>", "the workspace", ".")
    .option(
      "--jsonl",
      'read {"id","command"} or {"id","tool","input"} lines from stdin, answer each with a line; what is no question is denied, and ends with exit code 2',
    )
    .addOption(new Option("--containment <kind>", "whether Warder would run it under the policy's profile").choices(["none", "profile"]).default("profile"))
    .addHelpText("after", example("warder check 'git push --force'"))
    .action(async (command: string | undefined, options: Parameters<typeof check>[1]) =>
      setExitCode(await (await import("../commands/check/check.ts")).check(command, options)),
    );
  const changes = program
    .command("changes")
    .description("what a run changed in its transactional workspace, and has not landed yet")
    .addHelpText("after", groupHelp("warder changes diff run-…"));
  const actions = [
    ["list", "the changed paths, with what to look at first"],
    ["diff", "the changes as a unified diff"],
    ["apply", "land changes in the workspace"],
    ["discard", "throw changes away"],
  ] as const;
  for (const [action, description] of actions) {
    changes
      .command(`${action} <run> [paths...]`)
      .description(`${description}; all, or those that the paths and globs name`)
      .option("--json", "one JSON object")
      .addHelpText("after", example(`warder changes ${action} run-… 'src/**' package.json`))
      .action(async (run: string, paths: string[], options: Parameters<typeof reviewChanges>[2]) =>
        setExitCode(await (await import("../commands/changes.ts")).changes(action, [run, ...paths], options)),
      );
  }
}
