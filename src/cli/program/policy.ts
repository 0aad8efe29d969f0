import { type Command, Option } from "commander";
import type { PolicyCheckOptions } from "../commands/policy/check.ts";
import type { PolicyTestOptions } from "../commands/policy/test.ts";
import type { PolicyInitOptions } from "../commands/policy/init.ts";
import { POLICY_HELP, example, groupHelp, ownVersion } from "./help.ts";
import type { BacktestOptions } from "../commands/policy/backtest.ts";
import type { DiffOptions } from "../commands/policy/diff.ts";
import type { EffectiveOptions } from "../commands/policy/effective.ts";
import type { LspOptions } from "../commands/policy/lsp.ts";
import type { PlaygroundOptions } from "../commands/policy/playground.ts";
import type { SuggestOptions } from "../commands/policy/suggest.ts";
import type { SignOptions } from "../commands/policy/sign.ts";
import type { ExplainOptions } from "../commands/policy/explain.ts";

type SetExitCode = (code: number) => void;

/** The commands about policy files. */
export function addPolicy(program: Command, setExitCode: SetExitCode): void {
  const policy = program
    .command("policy")
    .description("write, check, explain, compare, test, print and trust policy files")
    .addHelpText("after", groupHelp("warder policy explain 'git push --force'"));
  policy
    .command("init")
    .description("write a first policy and its suite from what is in a project's folder, and prove one by the other; runs nothing of the project")
    .option("--workspace <directory>", "the project", ".")
    .option("--output <file>", "where the policy goes (default: policies/ in the state directory, where no run can write)")
    .option("--force", "write both anew if they are there")
    .option("--print", "print the policy, and write no file")
    .addHelpText("after", example("warder policy init --output warder.yaml"))
    .action(async (options: PolicyInitOptions) => setExitCode(await (await import("../commands/policy/init.ts")).initPolicy(options)));
  policy
    .command("check")
    .argument("<file>", POLICY_HELP)
    .description("check that a policy file is valid, and look for rules that decide nothing or too much; line, column and what to do")
    .option("--workspace <directory>", "the workspace", ".")
    .option("--fix", "take out of the file what decides nothing, and show it; comments stay")
    .option("--strict", "exit 1 when there are warnings")
    .option("--json", "print one JSON object")
    .option("--sarif", "print SARIF 2.1.0, for code scanning")
    .option("--github", "print annotations for a workflow at GitHub")
    .addHelpText("after", example("warder policy check policies/supervised.yaml"))
    .action(async (file: string, options: PolicyCheckOptions) => setExitCode(await (await import("../commands/policy/check.ts")).checkPolicy(file, options)));
  policy
    .command("explain <command>")
    .description("explain the verdict on a command: each effect, the word that causes it, the rule; runs nothing")
    .option("--policy <file>", POLICY_HELP, "supervised")
    .option("--workspace <directory>", "the workspace", ".")
    .addOption(
      new Option("--containment <kind>", "profile: judge it as if it ran in the policy's sandbox; none: as if it ran without one")
        .choices(["none", "profile"])
        .default("profile"),
    )
    .option("--json", "print one JSON object")
    .addHelpText("after", example("warder policy explain 'git log | tee log.txt'"))
    .action(async (command: string, options: ExplainOptions) =>
      setExitCode(await (await import("../commands/policy/explain.ts")).explainCommand(command, options)),
    );
  policy
    .command("diff")
    .argument("<before>", "policy file, name of a shipped policy, REV:FILE, or a range of revisions such as main..HEAD")
    .argument("[after]", "the same; behind a range the file. Without it, BEFORE as it is committed and as it is now")
    .description("what a change of a policy changes, with a command for each; exit 0 same, 10 only tightens, 11 widens, 12 may widen")
    .option("--staged", "compare what is staged of a file with what is committed")
    .option("--json", "print one JSON object")
    .option("--markdown", "print Markdown, for a pull request")
    .option("--sarif", "print SARIF 2.1.0, for code scanning")
    .option("--log <since>", "say, too, how many calls of the audit log lie in each difference; such as 30d")
    .option("--from-warder <program>", "compare another Warder with this one under one policy, BEFORE; starts that program with your rights")
    .addHelpText("after", example("warder policy diff main..HEAD warder.yaml"))
    .action(async (before: string, after: string | undefined, options: DiffOptions) =>
      setExitCode(await (await import("../commands/policy/diff.ts")).diffCommand(before, after, { ...options, version: ownVersion() })),
    );
  policy
    .command("test")
    .argument("<file>", POLICY_HELP)
    .description("run the test suite of a policy, NAME.test.yaml beside it; runs no command")
    .option("--workspace <directory>", "judge in this workspace; without it in an empty one")
    .option("--mutate", "leave out or loosen each rule, effect, path and tool of the file, and tell which change no case notices")
    .option("--html <file>", "write a report, too: what failed, what is not tested, all cases")
    .option("--watch", "run it again after each change, until Ctrl-C")
    .option("--snapshot", "keep in NAME.undecided.txt which requests of the suite the policy leaves to autonomy and risk; later runs fail where that differs")
    .option("--json", "print one JSON object")
    .addHelpText("after", example("warder policy test unattended"))
    .action(async (file: string, options: PolicyTestOptions) => setExitCode(await (await import("../commands/policy/test.ts")).testPolicyFile(file, options)));
  policy
    .command("effective")
    .argument("<file>", POLICY_HELP)
    .description("print a policy with all that it extends, as one file; behind each line stands who says it")
    .option("--workspace <directory>", "the workspace", ".")
    .option("--json", "print one JSON object")
    .addHelpText("after", example("warder policy effective unattended"))
    .action(async (file: string, options: EffectiveOptions) => setExitCode((await import("../commands/policy/effective.ts")).printEffective(file, options)));
  policy
    .command("lsp")
    .description("serve an editor over standard input and output (Language Server Protocol): mistakes, what a rule decides, completion; runs nothing")
    .option("--workspace <directory>", "judge in this workspace; without it in the folder that the editor names")
    .addHelpText("after", example("warder policy lsp"))
    .action(async (options: LspOptions) => setExitCode(await (await import("../commands/policy/lsp.ts")).lspCommand(options, ownVersion())));
  policy
    .command("playground")
    .description("print where the page lies that compares two policies as you type; it works offline, in any browser")
    .option("--output <file>", "write the page there as well, to send it to somebody")
    .addHelpText("after", example("warder policy playground --output playground.html"))
    .action(async (options: PlaygroundOptions) => setExitCode((await import("../commands/policy/playground.ts")).playgroundCommand(options)));
  policy
    .command("backtest")
    .argument("<file>", POLICY_HELP)
    .description("judge the calls of the audit log again by a policy: what it would have allowed, asked and denied; runs nothing")
    .option("--since <moment>", "from then on: 2026-11-22, or how long ago (90d, 2h)", "7d")
    .option("--until <moment>", "up to then")
    .option("--run <id>", "of one run")
    .option("--workspace <directory>", "read the policy as in this workspace; each call is judged in its own", ".")
    .option("--all", "show every call that is decided otherwise")
    .option("--json", "print one JSON object")
    .addHelpText("after", example("warder policy backtest ./stricter.yaml --since 30d"))
    .action(async (file: string, options: BacktestOptions) =>
      setExitCode(await (await import("../commands/policy/backtest.ts")).backtestPolicy(file, options)),
    );
  policy
    .command("suggest")
    .argument("<file>", "a policy file of your own")
    .description("rules that would have answered the questions which people answered with yes, as a patch; changes nothing")
    .option("--since <moment>", "from then on: 2026-11-22, or how long ago (90d, 2h)", "7d")
    .option("--until <moment>", "up to then")
    .option("--run <id>", "of one run")
    .option("--workspace <directory>", "read the policy as in this workspace; each call is judged in its own", ".")
    .option("--patch", "print the patch alone, for git apply")
    .option("--json", "print one JSON object")
    .addHelpText("after", example("warder policy suggest ./warder.yaml --patch | git apply"))
    .action(async (file: string, options: SuggestOptions) =>
      setExitCode(await (await import("../commands/policy/suggest.ts")).suggestForPolicy(file, options)),
    );
  policy
    .command("sign")
    .argument("<file>", "a policy file of your own")
    .description("sign the text of a policy file with a key of Ed25519, and write FILE.sig; works offline")
    .requiredOption("--key <file>", "the private key, in PEM; openssl genpkey -algorithm ed25519 makes one")
    .option("--json", "print one JSON object")
    .addHelpText("after", example("warder policy sign policy.yaml --key policy.key"))
    .action(async (file: string, options: SignOptions) => setExitCode((await import("../commands/policy/sign.ts")).signCommand(file, options)));
  policy
    .command("verify")
    .argument("<file>", "a policy file of your own")
    .description("see whether a policy and all that it extends are as they were signed; exit 0 if so, else 1")
    .requiredOption("--key <file>", "the public key, in PEM")
    .option("--json", "print one JSON object")
    .addHelpText("after", example("warder policy verify policy.yaml --key policy.pub"))
    .action(async (file: string, options: SignOptions) => setExitCode((await import("../commands/policy/sign.ts")).verifyCommand(file, options)));
  policy
    .command("schema")
    .description("print the JSON Schema of policy files, for editors")
    .option("--suite", "that of suites, NAME.test.yaml")
    .addHelpText("after", example("warder policy schema > policy.schema.json"))
    .action(async (options: { suite?: boolean }) => setExitCode((await import("../commands/policy/policy.ts")).printSchema(options)));
  policy
    .command("tables")
    .description("print what this Warder knows of programs as one JSON object, for `policy diff --from-warder` of another one")
    .addHelpText("after", example("warder policy tables > tables.json"))
    .action(async () => setExitCode((await import("../commands/policy/tables.ts")).printTables(ownVersion())));
  policy
    .command("trust <file>")
    .description("trust a policy file inside a workspace, as it is now; needs a terminal")
    .addHelpText("after", example("warder policy trust ./warder.yaml"))
    .action(async (file: string) => setExitCode(await (await import("../commands/policy/policy.ts")).trust(file)));
}
