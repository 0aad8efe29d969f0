import type { Command } from "commander";
import { example } from "./help.ts";
import type { BudgetOptions } from "../commands/budgets.ts";
import type { StopOptions } from "../commands/stop-switch.ts";

type SetExitCode = (code: number) => void;

/** The commands that bound what runs: the budgets, and the stop switch. */
export function addLimits(program: Command, setExitCode: SetExitCode): void {
  program
    .command("budgets")
    .description("show what is left of each limit of a policy, its jobs and its runs, and when it resets")
    .option("--policy <file>", "policy file, or the name of a shipped policy", "unattended")
    .option("--workspace <directory>", "the workspace", ".")
    .option("--json", "print one JSON object")
    .addHelpText("after", `${PRICES}${example("warder budgets --workspace ~/project --policy ~/nightly.yaml")}`)
    .action(async (options: BudgetOptions) => setExitCode((await import("../commands/budgets.ts")).budgets(options)));
  withScopes(program.command("stop").description("engage the stop switch: stop everything that runs, and start nothing"), STOPPED)
    .addHelpText("after", example("warder stop --network"))
    .action(async (options: StopOptions) => setExitCode(await (await import("../commands/stop-switch.ts")).stop(options)));
  withScopes(program.command("start").description("release the stop switch; needs a terminal, and a one-time code if anybody is enrolled"), STARTED)
    .addHelpText("after", example("warder start --network"))
    .action(async (options: StopOptions) => setExitCode(await (await import("../commands/stop-switch.ts")).start(options)));
}

type ScopeWords = { readonly network: string; readonly tool: string; readonly run: string };

const STOPPED: ScopeWords = {
  network: "the network: the egress proxies close every connection and open none",
  tool: "calls of these tools",
  run: "these runs: they end, and cannot be resumed",
};
const STARTED: ScopeWords = {
  network: "the network",
  tool: "calls of these tools",
  run: "these runs: they may be resumed",
};

function withScopes(command: Command, words: ScopeWords): Command {
  return command
    .option("--all", "everything (the default)")
    .option("--network", words.network)
    .option("--tool <name...>", words.tool)
    .option("--run <run...>", words.run);
}

const PRICES = `
Prices of models that Warder does not know go into prices.yaml in the state directory ($WARDER_HOME), in US dollars
for a million tokens:
  openai-compatible:house-model: { input: 0.5, cached: 0.05, output: 2, max-output: 16000 }
`;
