import type { Command } from "commander";
import type { BudgetOptions } from "./commands/budgets.ts";

type SetExitCode = (code: number) => void;

/** The commands that bound what runs: the budgets, and the stop switch. */
export function addLimits(program: Command, setExitCode: SetExitCode, example: (line: string) => string): void {
  program
    .command("budgets")
    .description("what is left of every limit of a policy, its jobs and its runs, and when it is free again")
    .option("--policy <file>", "policy file, or the name of a shipped policy", "unattended")
    .option("--workspace <directory>", "the workspace", ".")
    .option("--json", "one JSON object")
    .addHelpText("after", example("warder budgets --policy ./nightly.yaml"))
    .addHelpText("after", PRICES)
    .action(async (options: BudgetOptions) => setExitCode((await import("./commands/budgets.ts")).budgets(options)));
  program
    .command("stop")
    .description("the stop switch: nothing runs in any process, and what runs is ended")
    .addHelpText("after", example("warder stop"))
    .action(async () => setExitCode((await import("./commands/stop-switch.ts")).stop()));
  program
    .command("start")
    .description("release the stop switch; needs a terminal")
    .addHelpText("after", example("warder start"))
    .action(async () => setExitCode(await (await import("./commands/stop-switch.ts")).start()));
}

const PRICES = `
Prices of models that Warder does not know go into prices.yaml in the state directory ($WARDER_HOME), in US dollars for a million tokens:
  openai-compatible:house-model: { input: 0.5, cached: 0.05, output: 2, max-output: 16000 }
`;
