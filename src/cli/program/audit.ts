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
    .description("read, verify and archive the log of every decision and its outcome")
    .addHelpText("after", groupHelp("warder audit --follow", "tail"));
  addSelection(audit.command("tail", { isDefault: true }).description("print the newest records"))
    .option("--limit <n>", "how many, 1 to 100000", "20")
    .option("-f, --follow", "keep printing new records until interrupted")
    .option("--json", "print each record as a line of JSON")
    .addHelpText("after", example("warder audit tail --follow --verdict deny"))
    .action(async (options: TailOptions) => setExitCode(await (await import("../commands/audit/tail.ts")).tail(options)));
  audit
    .command("verify")
    .description("verify that the log is intact; names each broken record, and each call without an end")
    .option("--checkpoints <file>", "also check the log against the checkpoints in this file")
    .option("--json", "print one JSON object")
    .addHelpText("after", example("warder audit verify"))
    .action(async (options: Parameters<typeof verify>[0]) => setExitCode((await import("../commands/audit/verify.ts")).verify(options)));
  audit
    .command("show <call>")
    .description("show one call: the rule, who approved it, what ran, in which image, and the result")
    .option("--run <run>", "the call of this run, if several runs used the identifier")
    .option("--json", "print one JSON object")
    .addHelpText("after", example("warder audit show call-…"))
    .action(async (call: string, options: ShowOptions) => setExitCode((await import("../commands/audit/show.ts")).showCall(call, options)));
  addSelection(audit.command("export").description("export the records as JSON lines, or each run as an OpenTelemetry trace"))
    .addOption(new Option("--format <format>", "jsonl: one line per record; otlp: one line per run").choices(["jsonl", "otlp"]).default("jsonl"))
    .option("--output <file>", "write to this new file instead of standard output")
    .addHelpText("after", example("warder audit export --format otlp --since 1d"))
    .action(async (options: ExportOptions) => setExitCode(await (await import("../commands/audit/export.ts")).exportAudit(options)));
  audit
    .command("archive")
    .description("move old records to a file; the log still verifies")
    .option("--older-than <age>", "archive records older than this, such as 90d or 12h (default: from settings.yaml)")
    .option("--before <moment>", "archive records from before this time: 2026-01-31 (UTC), 2026-01-31T08:00:00+01:00")
    .option("--to <directory>", "where to write the file (default: archive/ in the state directory)")
    .option("--json", "print one JSON object")
    .addHelpText("after", example("warder audit archive --older-than 90d"))
    .action(async (options: ArchiveOptions) => setExitCode((await import("../commands/audit/archive.ts")).archive(options)));
  audit
    .command("checkpoint")
    .description("sign the end of the log; keep the signature where this account cannot change it")
    .option("--to <place>", "where to send it: file:/PATH (appended), syslog: (or syslog:/SOCKET), or command:/PROGRAM ARGUMENTS (on standard input)")
    .option("--public-key", "print the public key that verifies checkpoints")
    .addHelpText("after", example("warder audit checkpoint --to file:/mnt/other/warder-checkpoints.jsonl"))
    .action(async (options: CheckpointOptions) => setExitCode((await import("../commands/audit/checkpoint.ts")).checkpoint(options)));
}

function addSelection(command: Command): Command {
  return command
    .option("--run <run>", "only records of this run")
    .option("--kind <kind>", "only records of this kind: ruling, outcome, connection, …")
    .option("--tool <tool>", "only records of this tool")
    .addOption(new Option("--verdict <verdict>", "only rulings with this verdict").choices(["allow", "ask", "deny"]))
    .option("--since <moment>", "only records from this time on: 2026-01-31 (UTC), 2026-01-31T08:00:00+01:00, or how long ago: 30m, 2h, 7d")
    .option("--until <moment>", "only records up to this time, in the same formats");
}
