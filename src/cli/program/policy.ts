import { type Command, Option } from "commander";
import type { checkPolicy, testPolicyFile } from "../commands/policy/policy.ts";
import { POLICY_HELP, example, groupHelp } from "./help.ts";
import type { ExplainOptions } from "../commands/policy/explain.ts";

type SetExitCode = (code: number) => void;

/** The commands about policy files. */
export function addPolicy(program: Command, setExitCode: SetExitCode): void {
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
