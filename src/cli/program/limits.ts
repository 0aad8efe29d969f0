import type { Command } from "commander";
import { example } from "./help.ts";
import type { BudgetOptions } from "../commands/budgets.ts";
import type { StopOptions } from "../commands/stop-switch.ts";

type SetExitCode = (code: number) => void;

/** The commands that bound what runs: the budgets, and the stop switch. */
export function addLimits(program: Command, setExitCode: SetExitCode): void {
  program
    .command("budgets")
    .description("what is left of every limit of a policy, its jobs and its runs, and when it is free again")
    .option("--policy <file>", "policy file, or the name of a shipped policy", "unattended")
    .option("--workspace <directory>", "the workspace", ".")
    .option("--json", "one JSON object")
    .addHelpText("after", `${PRICES}${example("warder budgets --workspace ~/project --policy ~/nightly.yaml")}`)
    .action(async (options: BudgetOptions) => setExitCode((await import("../commands/budgets.ts")).budgets(options)));
  withScopes(program.command("stop").description("the stop switch: nothing runs in any process, and what runs is ended"), STOPPED)
    .addHelpText("after", example("warder stop --network"))
    .action(async (options: StopOptions) => setExitCode((await import("../commands/stop-switch.ts")).stop(options)));
  withScopes(program.command("start").description("release the stop switch; needs a terminal, and a one-time code where anybody is enrolled"), STARTED)
    .addHelpText("after", example("warder start --network"))
    .action(async (options: StopOptions) => setExitCode(await (await import("../commands/stop-switch.ts")).start(options)));
}

type ScopeWords = { readonly network: string; readonly tool: string; readonly run: string };

const STOPPED: ScopeWords = {
  network: "what goes over the network: the egress proxies cut every connection and make none",
  tool: "calls of a tool",
  run: "a run: it ends, and is not resumed",
};
const STARTED: ScopeWords = {
  network: "what goes over the network",
  tool: "calls of a tool",
  run: "a run: it may be resumed",
};

function withScopes(command: Command, words: ScopeWords): Command {
  return command
    .option("--all", "everything; what it is without an option")
    .option("--network", words.network)
    .option("--tool <name...>", words.tool)
    .option("--run <run...>", words.run);
}

const PRICES = `
Prices of models that Warder does not know go into prices.yaml in the state directory ($WARDER_HOME), in US dollars
for a million tokens:
  openai-compatible:house-model: { input: 0.5, cached: 0.05, output: 2, max-output: 16000 }
`;
