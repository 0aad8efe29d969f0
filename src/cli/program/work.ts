import { type Command, Option } from "commander";
import type { changes as reviewChanges } from "../commands/changes.ts";
import type { request as openRequest } from "../commands/request.ts";
import type { ChatOptions } from "../chat/chat.ts";
import type { check } from "../commands/check/check.ts";
import type { exec } from "../commands/exec.ts";
import type { models } from "../commands/models.ts";
import type { run } from "../commands/run.ts";
import type { tools } from "../commands/tools.ts";
import { POLICY_HELP, example, groupHelp } from "./help.ts";

type SetExitCode = (code: number) => void;

/** The commands that run something, or say what would be decided about it. */
export function addWork(program: Command, setExitCode: SetExitCode): void {
  program
    .command("run [task]")
    .description("run an agent on a task")
    .addOption(new Option("--policy <file>", `${POLICY_HELP} (default: reviewed at a terminal, unattended with --unattended, else supervised)`))
    .option(
      "--model <provider:name>",
      "the model: anthropic:NAME, openai:NAME, google:NAME, openai-compatible:NAME, ollama:NAME or scripted:FILE; after a comma another, which answers when the one before it cannot (default: $WARDER_MODEL, else the settings)",
    )
    .option("--workspace <directory>", 'the directory that the agent works on (default: ".")')
    .option("--unattended", "never ask at this terminal: park the run or deny, as the policy says")
    .option("--resume <run>", "resume a run that was parked, killed or interrupted, with the options that it was started with")
    .option("--continue [run]", "ask a run that is over for more, by a further task: the newest run of this workspace if none is named")
    .option(
      "--fork <run[@turn]>",
      "begin a run of its own from a turn of another (default: its last), with the conversation and the workspace of then; without a task it goes on with that one's",
    )
    .option("--prompt <server/prompt>", "work on a prompt of an MCP server that you confirmed, with the task as your own words before it")
    .option("--with <name=value...>", "what the prompt is given")
    .option("--output-schema <file>", "have the model give its result as JSON that this JSON Schema takes; it is printed before the summary")
    .option("--plan", "begin read-only: the agent makes a plan, and changes nothing before a person approves exactly that plan")
    .option("--json", "print the events as JSON lines; the last has summary and result")
    .addHelpText("after", example('warder run --model anthropic:claude-sonnet-4-5 "fix the failing test"'))
    .action(async (task: string | undefined, options: Parameters<typeof run>[1]) => setExitCode(await (await import("../commands/run.ts")).run(task, options)));
  program
    .command("chat")
    .description("talk with an agent at this terminal while it works; `warder` alone in a project does it, too")
    .addOption(new Option("--policy <file>", `${POLICY_HELP} (default: reviewed)`))
    .option("--model <provider:name>", "the model, as with `warder run` (default: $WARDER_MODEL, else the settings)")
    .option("--workspace <directory>", 'the directory that the agent works on (default: ".")')
    .option("--resume [run]", "go on with a run, where it was stopped or with the next message; without a name it is the newest of the workspace")
    .addHelpText("after", example("warder chat --model anthropic:claude-sonnet-4-5"))
    .action(async (options: ChatOptions) => setExitCode(await (await import("../chat/chat.ts")).chat(options)));
  program
    .command("exec")
    .description("run one command in the sandbox, if the policy allows it")
    .argument("<command...>", "the command, after --: one word is a text for the shell, several are a program and its arguments")
    .option("--policy <file>", POLICY_HELP, "supervised")
    .option("--workspace <directory>", "the workspace", ".")
    .option("--json", "print the ruling and the outcome as one JSON object")
    .addHelpText("after", example("warder exec --policy supervised -- 'git status'"))
    .action(async (words: string[], options: Parameters<typeof exec>[1]) => setExitCode(await (await import("../commands/exec.ts")).exec(words, options)));
  program
    .command("check [command]")
    .description("print the policy's verdict on a command; runs nothing")
    .option("--policy <file>", POLICY_HELP, "supervised")
    .option("--workspace <directory>", "the workspace", ".")
    .option(
      "--jsonl",
      'read {"id","command"} or {"id","tool","input"} lines from stdin and answer each with a line; an invalid line is denied, and the exit code is then 2',
    )
    .addOption(
      new Option("--containment <kind>", "profile: judge it as if it ran in the policy's sandbox; none: as if it ran without one")
        .choices(["none", "profile"])
        .default("profile"),
    )
    .addHelpText("after", example("warder check 'git push --force'"))
    .action(async (command: string | undefined, options: Parameters<typeof check>[1]) =>
      setExitCode(await (await import("../commands/check/check.ts")).check(command, options)),
    );
  program
    .command("tools")
    .description("list the tools that a model may call, each with its arguments")
    .option("--json", "print one JSON object")
    .addHelpText("after", example("warder tools"))
    .action(async (options: Parameters<typeof tools>[0]) => setExitCode((await import("../commands/tools.ts")).tools(options)));
  program
    .command("models")
    .description("list the models that are configured, with context window, price and where the key comes from")
    .option("--json", "print one JSON object")
    .addHelpText("after", example("warder models"))
    .action(async (options: Parameters<typeof models>[0]) => setExitCode((await import("../commands/models.ts")).models(options)));
  const changes = program
    .command("changes")
    .description("review what a run changed in its transactional workspace")
    .addHelpText("after", groupHelp("warder changes diff run-…"));
  changes
    .command("rebase <run>")
    .description("bring a run onto where its branch is now, or say what conflicts; nothing of the repository is touched")
    .option("--json", "print one JSON object")
    .addHelpText("after", example("warder changes rebase run-…"))
    .action(async (run: string, options: Parameters<typeof reviewChanges>[2]) =>
      setExitCode(await (await import("../commands/changes.ts")).changes("rebase", [run], options)),
    );
  changes
    .command("pr <run>")
    .description("push the branch with a run's work, and open a draft request for review by the command of settings.yaml, after a question")
    .option("--remote <name>", "the remote to push to (default: that of settings.yaml, else origin)")
    .option("--json", "print one JSON object")
    .addHelpText("after", example("warder changes pr run-…"))
    .action(async (run: string, options: Parameters<typeof openRequest>[1]) =>
      setExitCode(await (await import("../commands/request.ts")).request(run, options)),
    );
  const actions = [
    ["list", "list the changed paths, the suspicious ones marked"],
    ["diff", "print the changes as a unified diff"],
    ["apply", "apply the changes to the workspace"],
    ["discard", "discard the changes"],
    ["undo", "take the last landing back, for a week, or the last discard, for a day"],
  ] as const;
  for (const [action, description] of actions) {
    const command = changes
      .command(`${action} <run> [paths...]`)
      .description(`${description}: all of them, or those that match the paths and globs`)
      .option("--json", "print one JSON object");
    if (action === "apply")
      command
        .addOption(
          new Option(
            "--branch [name]",
            "put everything on a new branch instead (warder/RUN), and touch neither checkout nor index; what an unattended run did in a repository goes there by itself",
          ).conflicts("checkout"),
        )
        .option("--checkout", "land it in the files that lie here, also what an unattended run did")
        .option("--yes", "ask nothing about what is flagged");
    command
      .addHelpText("after", example(`warder changes ${action} run-… 'src/**' package.json`))
      .action(async (run: string, paths: string[], options: Parameters<typeof reviewChanges>[2]) =>
        setExitCode(await (await import("../commands/changes.ts")).changes(action, [run, ...paths], options)),
      );
  }
}
