import { Command, Option } from "commander";
import type { grants, list, refuse } from "../commands/approvals/questions.ts";
import type { ServeOptions } from "../commands/approvals/serve.ts";
import type { TailOptions, verify } from "../commands/audit/verify.ts";
import type { ArchiveOptions, CheckpointOptions, ExportOptions } from "../commands/audit/export.ts";
import type { ShowOptions } from "../commands/audit/show.ts";
import type { changes as reviewChanges } from "../commands/changes.ts";
import type { check } from "../commands/check/check.ts";
import type { doctor } from "../commands/doctor.ts";
import type { exec } from "../commands/exec.ts";
import type { checkPolicy, testPolicyFile } from "../commands/policy/policy.ts";
import type { run } from "../commands/run.ts";
import type { runs } from "../commands/runs.ts";
import { addCompletions } from "./completions.ts";
import { example, groupHelp, ownVersion, PROGRAM_HELP, sayMistakes } from "./help.ts";
import { addImages } from "./image.ts";
import { addLimits } from "./limits.ts";
import { addSchedule } from "./schedule.ts";
import type { ExplainOptions } from "../commands/policy/explain.ts";

type SetExitCode = (code: number) => void;

const POLICY_HELP = "policy file, or the name of a shipped policy (read-only, supervised, operator, unattended)";

/**
 * The command line. Each command's code is loaded when it is called, so that `check`, which other agents
 * start for every call, stays fast.
 */
export function buildProgram(setExitCode: SetExitCode): Command {
  const program = new Command("warder")
    .description("An agent that can be left alone: a reviewed policy decides, a sandbox contains, an audit log proves.")
    .version(ownVersion(), "-V, --version", "print the version")
    .exitOverride()
    .addHelpText("after", PROGRAM_HELP);
  addWork(program, setExitCode);
  addPolicy(program, setExitCode);
  addRecords(program, setExitCode);
  addSchedule(program, setExitCode);
  addLimits(program, setExitCode);
  addImages(program, setExitCode);
  program
    .command("doctor")
    .description("what this machine offers: engines, image, kernel features, state; and what to do about what is missing")
    .option("--json", "one JSON object")
    .option("--policy <file>", "whose sandbox is opened and compared with what it should be", "unattended")
    .addHelpText("after", example("warder doctor --policy unattended"))
    .action(async (options: Parameters<typeof doctor>[0]) => setExitCode(await (await import("../commands/doctor.ts")).doctor(options)));
  addCompletions(program, setExitCode);
  sayMistakes(program);
  return program;
}

function addWork(program: Command, setExitCode: SetExitCode): void {
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

function addPolicy(program: Command, setExitCode: SetExitCode): void {
  const policy = program.command("policy").description("work on policy files").addHelpText("after", groupHelp("warder policy explain 'git push --force'"));
  policy
    .command("check")
    .argument("<file>", POLICY_HELP)
    .description("is the file a valid policy? Errors come with line, column and what to do")
    .option("--workspace <directory>", "the workspace", ".")
    .addHelpText("after", example("warder policy check policies/supervised.yaml"))
    .action(async (file: string, options: Parameters<typeof checkPolicy>[1]) =>
      setExitCode((await import("../commands/policy/policy.ts")).checkPolicy(file, options)),
    );
  policy
    .command("explain <command>")
    .description("why a command is decided as it is: each effect, the word that causes it, the rule; nothing runs")
    .option("--policy <file>", POLICY_HELP, "supervised")
    .option("--workspace <directory>", "the workspace", ".")
    .addOption(new Option("--containment <kind>", "whether Warder would run it under the policy's profile").choices(["none", "profile"]).default("profile"))
    .option("--json", "one JSON object")
    .addHelpText("after", example("warder policy explain 'git log | tee log.txt'"))
    .action(async (command: string, options: ExplainOptions) =>
      setExitCode(await (await import("../commands/policy/explain.ts")).explainCommand(command, options)),
    );
  policy
    .command("test")
    .argument("<file>", POLICY_HELP)
    .description("hold a policy against the suite beside it, NAME.test.yaml: what each case must be decided as, by which rule; nothing runs")
    .option("--workspace <directory>", "the workspace", ".")
    .option("--json", "one JSON object")
    .addHelpText("after", example("warder policy test unattended"))
    .action(async (file: string, options: Parameters<typeof testPolicyFile>[1]) =>
      setExitCode(await (await import("../commands/policy/policy.ts")).testPolicyFile(file, options)),
    );
  policy
    .command("schema")
    .description("print the JSON Schema of policy files, for editors")
    .addHelpText("after", example("warder policy schema > policy.schema.json"))
    .action(async () => setExitCode((await import("../commands/policy/policy.ts")).printSchema()));
  policy
    .command("trust <file>")
    .description("confirm the present content of a policy file inside a workspace; needs a terminal")
    .addHelpText("after", example("warder policy trust ./warder.yaml"))
    .action(async (file: string) => setExitCode(await (await import("../commands/policy/policy.ts")).trust(file)));
}

function addRecords(program: Command, setExitCode: SetExitCode): void {
  const approvals = program
    .command("approvals")
    .description("the questions that wait for a person")
    .addHelpText("after", groupHelp("warder approvals", "list"));
  approvals
    .command("list", { isDefault: true })
    .description("the open questions")
    .option("--json", "one JSON object")
    .addHelpText("after", example("warder approvals list"))
    .action(async (options: Parameters<typeof list>[0]) => setExitCode(await (await import("../commands/approvals/questions.ts")).list(options)));
  approvals
    .command("show <id>")
    .description("the whole card of one question")
    .addHelpText("after", example("warder approvals show approval-…"))
    .action(async (id: string) => setExitCode((await import("../commands/approvals/questions.ts")).show(id)));
  approvals
    .command("grant <id>")
    .description("say yes after the card was shown; needs a terminal")
    .addHelpText("after", example("warder approvals grant approval-…"))
    .action(async (id: string) => setExitCode(await (await import("../commands/approvals/questions.ts")).grant(id)));
  approvals
    .command("refuse <id>")
    .description("say no")
    .option("--message <text>", "told to the model")
    .addHelpText("after", example("warder approvals refuse approval-… --message 'use the staging host'"))
    .action(async (id: string, options: Parameters<typeof refuse>[1]) => setExitCode((await import("../commands/approvals/questions.ts")).refuse(id, options)));
  approvals
    .command("grants")
    .description("what was granted for longer than one call: what it covers, since when, by whom")
    .option("--json", "one JSON object")
    .addHelpText("after", example("warder approvals grants"))
    .action(async (options: Parameters<typeof grants>[0]) => setExitCode((await import("../commands/approvals/questions.ts")).grants(options)));
  approvals
    .command("revoke <grant>")
    .description("take a lasting grant back, at once for every process")
    .addHelpText("after", example("warder approvals revoke grant-…"))
    .action(async (id: string) => setExitCode((await import("../commands/approvals/questions.ts")).revoke(id)));
  approvals
    .command("serve")
    .description("take answers over HTTP, with the tokens that webhooks carry; on loopback, for a TLS proxy or a tunnel")
    .option("--listen <address>", "127.0.0.1:PORT or [::1]:PORT; default as in settings.yaml")
    .addHelpText("after", example("warder approvals serve --listen 127.0.0.1:8717"))
    .action(async (options: ServeOptions) => setExitCode(await (await import("../commands/approvals/serve.ts")).serve(options)));
  approvals
    .command("enroll <name>")
    .description("let a person confirm with one-time codes (TOTP); needs a terminal")
    .addHelpText("after", example("warder approvals enroll ann"))
    .action(async (person: string) => setExitCode(await (await import("../commands/approvals/questions.ts")).enrollPerson(person)));
  approvals
    .command("unenroll <name>")
    .description("let a person's one-time codes count no more; needs a terminal and a code")
    .addHelpText("after", example("warder approvals unenroll ann"))
    .action(async (person: string) => setExitCode(await (await import("../commands/approvals/questions.ts")).unenrollPerson(person)));
  addAudit(program, setExitCode);
  program
    .command("runs")
    .description("the runs on this machine, newest first")
    .option("--json", "one JSON object")
    .addHelpText("after", example("warder runs"))
    .action(async (options: Parameters<typeof runs>[0]) => setExitCode((await import("../commands/runs.ts")).runs(options)));
}

function addAudit(program: Command, setExitCode: SetExitCode): void {
  const audit = program
    .command("audit")
    .description("the log of every decision and what came of it")
    .addHelpText("after", groupHelp("warder audit --follow", "tail"));
  addSelection(audit.command("tail", { isDefault: true }).description("the last records"))
    .option("--limit <n>", "how many, 1 to 100000", "20")
    .option("-f, --follow", "go on with the records that come, until interrupted")
    .option("--json", "a JSON line for each record")
    .addHelpText("after", example("warder audit tail --follow --verdict deny"))
    .action(async (options: TailOptions) => setExitCode(await (await import("../commands/audit/verify.ts")).tail(options)));
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
    .action(async (options: ArchiveOptions) => setExitCode((await import("../commands/audit/export.ts")).archive(options)));
  audit
    .command("checkpoint")
    .description("sign the end of the log, to be kept where this account cannot change it")
    .option("--to <place>", "file:/PATH (added to), syslog: (or syslog:/SOCKET), or command:/PROGRAM ARGUMENTS (read on standard input)")
    .option("--public-key", "print the key that checkpoints are checked with")
    .addHelpText("after", example("warder audit checkpoint --to file:/mnt/other/warder-checkpoints.jsonl"))
    .action(async (options: CheckpointOptions) => setExitCode((await import("../commands/audit/export.ts")).checkpoint(options)));
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
