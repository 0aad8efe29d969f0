import { type Command, Option } from "commander";
import { AgentError } from "../../base/errors.ts";
import type { exportRun, rewind, runs, showRun } from "../commands/runs.ts";
import { example } from "./help.ts";

/** `warder runs`, and what is told of one. */
export function addRuns(program: Command, setExitCode: (code: number) => void): void {
  const group = program
    .command("runs")
    .description("list what waits for you, then the runs on this machine, newest first: on a terminal as many as fit")
    .option("--all", "the newest hundred, whatever fits")
    .option("--json", "print one JSON object")
    .addHelpText("after", example("warder runs"))
    .action(async (options: Parameters<typeof runs>[0]) => setExitCode((await import("../commands/runs.ts")).runs(options)));
  group
    .command("show <run>")
    .description("what a run did, turn by turn: calls, rulings, costs, changes")
    .option("--json", "print one JSON object")
    .addHelpText("after", example("warder runs show run-…"))
    // `--json` is an option of `runs`, too, which takes it first.
    .action(async (run: string, _options: unknown, command: Command) =>
      setExitCode(await (await import("../commands/runs.ts")).showRun(run, command.optsWithGlobals<Parameters<typeof showRun>[1]>())),
    );
  group
    .command("rewind <run>")
    .description("take a run that is not going back to one of its turns: conversation and workspace are as they were then")
    .addOption(new Option("--to <turn>", "the turn, as `runs show` numbers them; 0: before the first").argParser(turnNumber).makeOptionMandatory())
    .option("--json", "print one JSON object")
    .addHelpText("after", example("warder runs rewind run-… --to 3"))
    .action(async (run: string, _options: unknown, command: Command) =>
      setExitCode(await (await import("../commands/runs.ts")).rewind(run, command.optsWithGlobals<Parameters<typeof rewind>[1]>())),
    );
  group
    .command("export <run>")
    .description("print a whole run with its rulings, diff and costs as one file")
    .addOption(new Option("--format <format>", "md: Markdown; html: one file for a browser, without scripts").choices(["md", "html"]).default("html"))
    .addHelpText("after", example("warder runs export run-… --format html > run.html"))
    .action(async (run: string, options: Parameters<typeof exportRun>[1]) => setExitCode(await (await import("../commands/runs.ts")).exportRun(run, options)));
}

function turnNumber(text: string): number {
  if (!/^\d{1,6}$/u.test(text)) throw new AgentError("usage", `${JSON.stringify(text)} is no turn: it is a number, 0 for the beginning.`);
  return Number(text);
}
