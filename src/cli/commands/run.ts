import { readSurroundings } from "../../app/surroundings.ts";
import { runTask, type AgentRunResult } from "../../app/agent-run.ts";
import { AgentError } from "../../base/errors.ts";
import { EXIT } from "../exit-code.ts";
import { withInterrupt } from "../interrupt.ts";
import { createLiveView } from "../live-view.ts";

type RunOptions = { policy?: string; model?: string; workspace: string; unattended?: boolean; json?: boolean };

/** `warder run`: an agent on a task, with a live view or the events as JSON lines. */
export async function run(task: string | undefined, options: RunOptions): Promise<number> {
  if (task === undefined || task.trim() === "") throw new AgentError("usage", 'A task is needed: warder run "fix the failing test".');
  const model = options.model ?? process.env["WARDER_MODEL"];
  if (!model)
    throw new AgentError(
      "usage",
      "A model is needed: --model anthropic:NAME (or openai:, google:, ollama:, openai-compatible:, scripted:FILE), or the variable WARDER_MODEL.",
    );
  const isUnattended = options.unattended === true;
  const surroundings = readSurroundings(options.policy ?? (isUnattended ? "unattended" : "supervised"), options.workspace);
  const view = createLiveView(process.stdout);
  const result = await withInterrupt((signal) =>
    runTask(surroundings, {
      task,
      model,
      isUnattended,
      signal,
      emit: options.json === true ? (event) => void process.stdout.write(`${JSON.stringify(event)}\n`) : (event) => view.show(event),
    }),
  );
  if (options.json !== true) printNextSteps(result);
  return exitCodeOfRun(result);
}

function printNextSteps({ runId, changes }: AgentRunResult): void {
  if (changes === null || changes === 0) return;
  process.stdout.write(`\n${changes} changed paths wait for a person: warder changes diff ${runId}, then apply or discard.\n`);
}

function exitCodeOfRun({ end }: AgentRunResult): number {
  switch (end.kind) {
    case "done":
      return EXIT.done;
    case "budget":
      return EXIT.budgetSpent;
    case "limit":
      return end.limit === "repetition" ? EXIT.failed : EXIT.budgetSpent;
    case "cancelled":
      return EXIT.interrupted;
    case "failed":
      return EXIT.failed;
  }
}
