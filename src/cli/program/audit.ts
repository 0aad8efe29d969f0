import { type Command, Option } from "commander";
import type { TailOptions } from "../commands/audit/tail.ts";
import type { verify } from "../commands/audit/verify.ts";
import type { ArchiveOptions } from "../commands/audit/archive.ts";
import type { CheckpointOptions } from "../commands/audit/checkpoint.ts";
import type { ExportOptions } from "../commands/audit/export.ts";
import type { ShowOptions } from "../commands/audit/show.ts";
import { example, groupHelp } from "./help.ts";

type SetExitCode = (code: number) => void;

/** The commands about the audit log. */
export function addAudit(program: Command, setExitCode: SetExitCode): void {
  const audit = program
    .command("audit")
    .description("the log of every decision and what came of it")
    .addHelpText("after", groupHelp("warder audit --follow", "tail"));
  addSelection(audit.command("tail", { isDefault: true }).description("the last records"))
    .option("--limit <n>", "how many, 1 to 100000", "20")
    .option("-f, --follow", "go on with the records that come, until interrupted")
    .option("--json", "a JSON line for each record")
    .addHelpText("after", example("warder audit tail --follow --verdict deny"))
    .action(async (options: TailOptions) => setExitCode(await (await import("../commands/audit/tail.ts")).tail(options)));
  audit
    .command("verify")
    .description("is the log whole? Says where it is not, and what was started without an end")
    .option("--checkpoints <file>", "hold the checkpoints in FILE against the log, too")
    .option("--json", "one JSON object")
    .addHelpText("after", example("warder audit verify"))
    .action(async (options: Parameters<typeof verify>[0]) => setExitCode((await import("../commands/audit/verify.ts")).verify(options)));
  audit
    .command("show <call>")
    .description("one call: who approved it, which rule let it, what exactly ran, with which image, what came back")
    .option("--run <run>", "of this run, where several used the identifier")
    .option("--json", "one JSON object")
    .addHelpText("after", example("warder audit show call-…"))
    .action(async (call: string, options: ShowOptions) => setExitCode((await import("../commands/audit/show.ts")).showCall(call, options)));
  addSelection(audit.command("export").description("the records as JSON lines, or each run as an OpenTelemetry trace"))
    .addOption(new Option("--format <format>", "jsonl: a line a record; otlp: a line a run").choices(["jsonl", "otlp"]).default("jsonl"))
    .option("--output <file>", "a new file instead of standard output")
    .addHelpText("after", example("warder audit export --format otlp --since 1d"))
    .action(async (options: ExportOptions) => setExitCode(await (await import("../commands/audit/export.ts")).exportAudit(options)));
  audit
    .command("archive")
    .description("move old records into a file; the log goes on and still verifies")
    .option("--older-than <age>", "a time such as 90d or 12h; by default what settings.yaml says")
    .option("--before <moment>", "the same as a moment: 2026-01-31 (UTC), 2026-01-31T08:00:00+01:00")
    .option("--to <directory>", "where the file goes; the state directory's archive by default")
    .option("--json", "one JSON object")
    .addHelpText("after", example("warder audit archive --older-than 90d"))
    .action(async (options: ArchiveOptions) => setExitCode((await import("../commands/audit/archive.ts")).archive(options)));
  audit
    .command("checkpoint")
    .description("sign the end of the log, to be kept where this account cannot change it")
    .option("--to <place>", "file:/PATH (added to), syslog: (or syslog:/SOCKET), or command:/PROGRAM ARGUMENTS (read on standard input)")
    .option("--public-key", "print the key that checkpoints are checked with")
    .addHelpText("after", example("warder audit checkpoint --to file:/mnt/other/warder-checkpoints.jsonl"))
    .action(async (options: CheckpointOptions) => setExitCode((await import("../commands/audit/checkpoint.ts")).checkpoint(options)));
}

function addSelection(command: Command): Command {
  return command
    .option("--run <run>", "of one run only")
    .option("--kind <kind>", "of one kind only: ruling, outcome, connection, …")
    .option("--tool <tool>", "of one tool only")
    .addOption(new Option("--verdict <verdict>", "rulings of one verdict only").choices(["allow", "ask", "deny"]))
    .option("--since <moment>", "from a moment on: 2026-01-31 (UTC), 2026-01-31T08:00:00+01:00, or how long ago: 30m, 2h, 7d")
    .option("--until <moment>", "up to a moment, written in the same ways");
}
