import { Option, type Command } from "commander";
import { example, groupHelp } from "./help.ts";
import type { AddOptions } from "../commands/schedule/jobs.ts";
import type { RunOptions } from "../commands/schedule/run.ts";
import type { SyncOptions } from "../commands/schedule/sync.ts";
import type { history, list } from "../commands/schedule/list.ts";

type SetExitCode = (code: number) => void;

// Loaded when it is called: no other command waits for it.
const load = async () => await import("../commands/schedule/jobs.ts");
const loadRun = async () => await import("../commands/schedule/run.ts");
const loadList = async () => await import("../commands/schedule/list.ts");
const JOBS = ["--jobs <n>", "how many jobs may run at once, 1 to 64", "4"] as const;

/** The commands about jobs that run by the clock. */
export function addSchedule(program: Command, setExitCode: SetExitCode): void {
  const schedule = program.command("schedule").description("run tasks on a schedule, unattended").addHelpText("after", groupHelp("warder schedule", "list"));
  schedule
    .command("add")
    .description("add a job; needs a terminal")
    .argument("<name>", "lower-case letters, digits and hyphens")
    .argument("<task...>", "the task, after --")
    .requiredOption("--cron <expression>", "minute, hour, day of the month, month, day of the week; or @hourly, @daily, @weekly, @monthly, @yearly")
    .option("--tz <zone>", "the time zone of the expression, such as Europe/Berlin (default: this machine's)")
    .option("--policy <file>", "policy file, or the name of a shipped policy", "unattended")
    .option("--workspace <directory>", "the directory that the agent works on", ".")
    .option("--model <provider:name>", "as for `warder run` (default: $WARDER_MODEL)")
    .addOption(new Option("--catch-up <kind>", "which missed times to catch up on").choices(["skip", "once", "all"]).default("skip"))
    .option("--jitter <duration>", "delay each start by a random time up to this (30s, 10m, 2h), so that jobs do not all start at once")
    .option("--retries <n>", "how often, 0 to 10, to retry a run after a failure of the provider or the sandbox; a refused run is never retried", "0")
    .option("--deadline <duration>", "interrupt a run that takes longer than this: 30m, 2h, at most 7d")
    .option("--notify <place>", "where to send a line of JSON when a run ends: file:/PATH, syslog: or command:/PROGRAM ARGUMENTS")
    .addHelpText(
      "after",
      example(
        "warder schedule add nightly --cron '0 3 * * *' --workspace ~/project --policy ~/nightly.yaml --model anthropic:claude-sonnet-4-5 -- \"update the dependencies\"",
      ),
    )
    .action(async (name: string, task: string[], options: AddOptions) => setExitCode(await (await load()).add(name, task, options)));
  schedule
    .command("sync <file>")
    .description("make the jobs match a file, after showing what changes; needs a terminal")
    .option("--check", "change nothing; exit 1 if the jobs do not match the file")
    .option("--json", "print what changes as one JSON object")
    .addHelpText("after", example("warder schedule sync ./schedules.yaml"))
    .action(async (file: string, options: SyncOptions) => setExitCode(await (await import("../commands/schedule/sync.ts")).sync(file, options)));
  schedule
    .command("list", { isDefault: true })
    .description("list the jobs: when each runs next, and how its last run ended")
    .option("--json", "print one JSON object")
    .addHelpText("after", example("warder schedule list"))
    .action(async (options: Parameters<typeof list>[0]) => setExitCode((await loadList()).list(options)));
  schedule
    .command("history <name>")
    .description("list when a job was due and how each run ended, newest first")
    .option("--limit <n>", "how many, 1 to 10000", "20")
    .option("--json", "print one JSON object")
    .addHelpText("after", example("warder schedule history nightly"))
    .action(async (name: string, options: Parameters<typeof history>[1]) => setExitCode((await loadList()).history(name, options)));
  schedule
    .command("confirm <name>")
    .description("let a held job run again, under its policy as it is now; needs a terminal")
    .addHelpText("after", example("warder schedule confirm nightly"))
    .action(async (name: string) => setExitCode(await (await load()).confirmJob(name)));
  schedule
    .command("remove <name>")
    .description("remove a job; its history stays")
    .addHelpText("after", example("warder schedule remove nightly"))
    .action(async (name: string) => setExitCode(await (await load()).remove(name)));
  schedule
    .command("run [name]")
    .description("run what is due, once (for a crontab); with a name, run that job now")
    .option(...JOBS)
    .addHelpText("after", example("warder schedule run"))
    .action(async (name: string | undefined, options: RunOptions) => setExitCode(await (await loadRun()).runDue(name, options)));
  schedule
    .command("daemon")
    .description("run jobs as they become due, until interrupted")
    .option(...JOBS)
    .option("--answers", "also accept answers over HTTP, as `warder approvals serve` does")
    .addHelpText("after", example("warder schedule daemon"))
    .action(async (options: RunOptions & { answers?: boolean }) => setExitCode(await (await loadRun()).daemon(options)));
}
