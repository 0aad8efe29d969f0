import { modelsOfNewRun } from "../../app/models/configured.ts";
import { taskOfPrompt } from "../../app/mcp/prompt-task.ts";
import type { WorkspaceContext } from "../../app/setup/context.ts";
import { openingText, type SandboxOpening } from "../../app/run/opening.ts";
import { forkRun } from "../../app/turns/fork.ts";
import { runTask, type AgentRunOptions, type AgentRunResult } from "../../app/run/run.ts";
import { newestRunOf } from "../../app/run/further-task.ts";
import { resumeRun } from "../../app/run/resume.ts";
import type { AgentEvent } from "../../agent/events.ts";
import type { Emit } from "../../gate/gate.ts";
import { AgentError } from "../../base/errors.ts";
import { makeVisibleLine, visibleJson } from "../../base/text.ts";
import { readOutputSchema } from "../../config/output-schema.ts";
import { withScriptFrom } from "../../config/script-file.ts";
import { isAtTerminal, readContextAsking } from "./policy/asking.ts";
import { reviewAtTerminal } from "./review.ts";
import { EXIT, exitCodeOfEnding } from "../process/exit-code.ts";
import { withInterrupt } from "../process/interrupt.ts";
import { createLiveView } from "../view/live/live-view.ts";
import { writePaced } from "../process/paced-write.ts";
import { resumeText, reviewText, summaryText, waitingText } from "../view/run-summary.ts";

type RunOptions = {
  policy?: string;
  model?: string;
  workspace?: string;
  unattended?: boolean;
  json?: boolean;
  resume?: string;
  continue?: string | true;
  outputSchema?: string;
  fork?: string;
  prompt?: string;
  with?: string[];
  plan?: boolean;
};

/** `warder run`: an agent on a task, or on one that was suspended, with a live view or the events as JSON lines. */
export async function run(task: string | undefined, options: RunOptions): Promise<number> {
  const output = outputOf(options);
  if (options.prompt === undefined && options.with !== undefined)
    throw new AgentError("usage", "--with gives something to a prompt: name it with --prompt SERVER/PROMPT.");
  if (options.prompt !== undefined && [options.resume, options.continue, options.fork].some((other) => other !== undefined))
    throw new AgentError("usage", "A prompt begins a run of its own: --prompt goes with no --resume, --continue and --fork.");
  if (options.plan === true && [options.resume, options.continue, options.fork].some((other) => other !== undefined))
    throw new AgentError("usage", "A run goes on as it was started: it takes no --plan.");
  if (options.fork !== undefined) return await fork(options.fork, task, options, output);
  if (options.continue !== undefined) return await further(options.continue, task, options, output);
  if (options.resume !== undefined) {
    if (task !== undefined) throw new AgentError("usage", "A run goes on with its own task: warder run --resume RUN takes no other.");
    if (options.workspace !== undefined) throw new AgentError("usage", "A run goes on as it was started: --resume takes no --workspace.");
    return await resume(options.resume, undefined, options, output);
  }
  if (options.prompt === undefined && (task === undefined || task.trim() === ""))
    throw new AgentError("usage", "A task is needed.", { remedy: 'For example: warder run "fix the failing test"' });
  const model = modelsOfNewRun(options.model);
  const isUnattended = options.unattended === true;
  const canAsk = !isUnattended && options.json !== true && isAtTerminal();
  const context = await readContextAsking(options.policy ?? defaultPolicy(isUnattended), options.workspace ?? ".", canAsk);
  const { emit, onOpen } = output;
  const shape = shapeOf(options);
  output.opening();
  const result = await withInterrupt(
    async (signal) =>
      await runTask(context, {
        task: options.prompt === undefined ? (task ?? "") : await promptTask(options.prompt, task ?? "", { context, values: options.with ?? [], signal }),
        model,
        isUnattended,
        signal,
        emit,
        onOpen,
        ...shape,
        ...(options.plan === true ? { plan: "open" } : {}),
      }),
    output.interrupted,
  ).catch(flushing(output));
  return await output.end(result);
}

type PromptSetting = { readonly context: WorkspaceContext; readonly values: readonly string[]; readonly signal: AbortSignal };

/** `--prompt SERVER/PROMPT`: a text of a server's, behind a person's own words. */
async function promptTask(named: string, said: string, { context, values, signal }: PromptSetting): Promise<string> {
  const { server, prompt } = /^(?<server>[a-z0-9_]+)\/(?<prompt>[\w.-]+)$/u.exec(named)?.groups ?? {};
  if (server === undefined || prompt === undefined)
    throw new AgentError("usage", `${makeVisibleLine(named)} names no prompt.`, {
      remedy: "For example: warder run --prompt files/review --with file=src/a.ts",
    });
  const { givenBy, textOfPrompt } = await import("../../app/mcp/prompts.ts");
  const text = await textOfPrompt(context, { server, prompt, given: givenBy(values) }, signal);
  return taskOfPrompt({ server, prompt }, text, said);
}

function shapeOf({ outputSchema: file }: RunOptions): Pick<AgentRunOptions, "output"> {
  return file === undefined ? {} : { output: readOutputSchema(file) };
}

/** A person at a terminal reviews the changes at the end; where nobody can be asked at once, nothing changes unasked. */
function defaultPolicy(isUnattended: boolean): string {
  if (isUnattended) return "unattended";
  return process.stdin.isTTY && process.stdout.isTTY ? "reviewed" : "supervised";
}

/** `--continue [RUN] TASK`: the newest run of this workspace, if none is named. What follows the option and names no run is the task. */
async function further(named: string | true, said: string | undefined, options: RunOptions, output: Output): Promise<number> {
  if (options.resume !== undefined) throw new AgentError("usage", "A run goes on with its own task (--resume) or with another (--continue), not with both.");
  const isRun = named !== true && RUN.test(named);
  const task = said ?? (isRun || named === true ? undefined : named);
  if (task === undefined || task.trim() === "" || (said !== undefined && named !== true && !isRun))
    throw new AgentError("usage", "A run that is over is asked for more by a task.", { remedy: 'For example: warder run --continue "now add docs"' });
  if (isRun && options.workspace !== undefined)
    throw new AgentError("usage", "A run that is named has its own workspace: --continue RUN takes no --workspace.");
  return await resume(isRun ? named : newestRunOf(options.workspace ?? "."), task, options, output);
}

const RUN = /^run-[a-z0-9]+$/u;
const RUN_AT_TURN = /^(?<run>run-[a-z0-9]+)(?:@(?<turn>\d{1,6}))?$/u;

/** `--fork RUN[@TURN] [TASK]`: a run of its own from a turn of another, the last whole one if none is named. Without a task it goes on with that one's. */
async function fork(named: string, task: string | undefined, options: RunOptions, output: Output): Promise<number> {
  const { run: source, turn } = RUN_AT_TURN.exec(named)?.groups ?? {};
  if (source === undefined)
    throw new AgentError("usage", `${makeVisibleLine(named)} names no run and turn.`, {
      remedy: 'For example: warder run --fork run-…@3 "try it without the cache"',
    });
  if (options.resume !== undefined || options.continue !== undefined)
    throw new AgentError("usage", "A run is resumed (--resume), asked for more (--continue) or forked (--fork): name one of them.");
  if (options.workspace !== undefined) throw new AgentError("usage", "A fork works where the other run did: --fork takes no --workspace.");
  if (task?.trim() === "") throw new AgentError("usage", "The task is empty.");
  const model = options.model === undefined ? undefined : withScriptFrom(process.cwd(), options.model);
  const runId = await forkRun(source, {
    turn: turn === undefined ? null : Number(turn),
    isUnattended: options.unattended === true,
    ...(options.policy === undefined ? {} : { policy: options.policy }),
    ...(model === undefined ? {} : { model }),
  });
  if (options.json !== true) process.stderr.write(`warder: ${runId} goes on from ${named}, which stays as it is\n`);
  const { unattended: _asItBegan, ...rest } = options;
  return await resume(runId, task, rest, output);
}

async function resume(runId: string, task: string | undefined, options: RunOptions, output: Output): Promise<number> {
  if (options.unattended === true) throw new AgentError("usage", "A run goes on as it was started: it takes no --unattended.");
  const { policy } = options;
  const model = options.model === undefined ? undefined : withScriptFrom(process.cwd(), options.model);
  const { emit, onOpen } = output;
  const shape = shapeOf(options);
  const end = await withInterrupt(
    (signal) =>
      resumeRun(runId, {
        signal,
        emit,
        onOpen,
        ...shape,
        ...(task === undefined ? {} : { task }),
        ...(policy === undefined ? {} : { policy }),
        ...(model === undefined ? {} : { model }),
      }),
    output.interrupted,
  ).catch(flushing(output));
  if (end.kind === "ran") return await output.end(end.result);
  if (options.json === true) process.stdout.write(`${visibleJson(end)}\n`);
  else if (end.kind === "waiting") process.stdout.write(`\n${waitingText(end.runId, end.approvalId).join("\n")}\n`);
  else process.stdout.write(`${makeVisibleLine(end.by)} refused to let ${end.runId} go on under the changed policy. Under the former one: --policy FILE\n`);
  return end.kind === "waiting" ? EXIT.parked : EXIT.denied;
}

/** What a fault kept from its end is shown before the fault is. */
const flushing =
  (output: Output) =>
  (fault: unknown): never => {
    output.flush();
    throw fault;
  };

/** Where a run is shown. `end` is called once, with what came of it, and gives the exit code; `flush` writes what was kept back when there is no such end. */
type Output = {
  /** Nothing can be told yet, and nobody is asked anything. */
  readonly opening: () => void;
  readonly onOpen: (opening: SandboxOpening) => void;
  readonly emit: Emit<AgentEvent>;
  readonly end: (result: AgentRunResult) => number | Promise<number>;
  readonly flush: () => void;
  /** A person wants it to stop, which takes a moment. */
  readonly interrupted: () => void;
};

function outputOf(options: RunOptions): Output {
  if (options.json === true) return jsonOutput();
  const view = createLiveView(process.stdout);
  let runId: string | null = null;
  return {
    opening: () => view.wait("opening the sandbox"),
    onOpen: (opening) => {
      view.end();
      process.stderr.write(`warder: ${openingText(opening)}\n`);
    },
    emit: (event) => {
      if (event.kind === "run-start") ({ runId } = event);
      view.show(event);
    },
    end: async (result) => {
      const isReviewed = canReview(result);
      if (result.output !== null) process.stdout.write(`\n${visibleJson(result.output)}\n`);
      process.stdout.write(`\n${summaryText(result.summary, !result.isUnattended, isReviewed)}`);
      return isReviewed ? await review(result) : exitCodeOfEnding(result.end);
    },
    interrupted: () => process.stderr.write(`\n${stoppingText(runId)}\n`),
    flush: () => view.end(),
  };
}

/** One JSON line for each event; the last, `run-end`, carries the summary, and so waits for it. */
function jsonOutput(): Output {
  let last: AgentEvent | null = null;
  const write = (value: unknown): unknown => writePaced(process.stdout, `${visibleJson(value)}\n`);
  return {
    opening: () => undefined,
    // The audit log has it.
    onOpen: () => undefined,
    emit: (event) => {
      if (event.kind !== "run-end") return write(event);
      last = event;
      return undefined;
    },
    end: ({ summary, end, output }) => {
      if (last !== null) void write({ ...last, summary, ...(output === null ? {} : { output }) });
      last = null;
      return exitCodeOfEnding(end);
    },
    interrupted: () => undefined,
    flush: () => {
      if (last !== null) void write(last);
      last = null;
    },
  };
}

/** A person at the terminal, who did not just stop it, and changes that wait for them. */
function canReview({ isUnattended, end, summary: { changes } }: AgentRunResult): boolean {
  return !isUnattended && process.stdin.isTTY && process.stdout.isTTY && end.kind !== "parked" && end.kind !== "cancelled" && (changes?.count ?? 0) > 0;
}

/** Whoever keeps the changes for later is told how to come back to them; what did not land fails the command, as with `warder changes apply`. */
async function review({ runId, end }: AgentRunResult): Promise<number> {
  const isLanded = await withInterrupt((signal) => reviewAtTerminal(runId, signal));
  if (isLanded !== true) process.stdout.write(`${reviewText(runId)}\n`);
  return isLanded === false ? EXIT.failed : exitCodeOfEnding(end);
}

/** Before its start there is nothing to go back to. */
function stoppingText(runId: string | null): string {
  return `Stopping; Ctrl-C again ends it at once.${runId === null ? "" : ` ${resumeText(runId)}`}`;
}
