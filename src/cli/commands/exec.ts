import { openRun, type SandboxedRun } from "../../app/run/open.ts";
import { openingText, type SandboxOpening } from "../../app/run/opening.ts";
import { AgentError } from "../../base/errors.ts";
import { makeVisible, visibleJson } from "../../base/text.ts";
import { newId } from "../../base/ids.ts";
import type { CallEnd, Emit, GateEvent } from "../../gate/gate.ts";
import type { BoundedOutput } from "../../sandbox/outcome.ts";
import { commandText } from "../../shell/render.ts";
import { notesOf, resultText } from "../../tools/contract/tool.ts";
import { EXIT } from "../process/exit-code.ts";
import { withInterrupt } from "../process/interrupt.ts";
import { writePaced } from "../process/paced-write.ts";
import { ruleText } from "../view/ruling.ts";
import { isAtTerminal, readContextAsking } from "./policy/asking.ts";
import { waitingNotice } from "../view/approval-wait.ts";

type ExecOptions = { policy: string; workspace: string; json?: boolean };

/** `warder exec -- COMMAND`: one command through gate and sandbox. One word is a text for the shell, several are a program and its arguments. */
export async function exec(words: readonly string[], options: ExecOptions): Promise<number> {
  const command = commandText(words);
  if (words.every((word) => word.trim() === "")) throw new AgentError("usage", "A command is needed: warder exec -- 'git status'");
  const isJson = options.json === true;
  const context = await readContextAsking(options.policy, options.workspace, !isJson && isAtTerminal());
  return await withInterrupt(async (signal) => {
    // Where output is JSON, the audit log has it.
    const told = isJson ? {} : { onOpen: (opening: SandboxOpening) => void process.stderr.write(`warder: ${openingText(opening)}\n`) };
    const run = await openRun(context, { task: null, model: null, isScripted: false, canAsk: true, ...told });
    const startedAtMs = performance.now();
    const end = await perform(run, command, signal, isJson ? () => {} : showOutput);
    if (isJson) process.stdout.write(`${visibleJson(jsonOf(run.id, end, performance.now() - startedAtMs))}\n`);
    else explain(end);
    return exitCodeOfCall(end, signal);
  });
}

async function perform(run: SandboxedRun, command: string, signal: AbortSignal, show: Emit): Promise<CallEnd> {
  const waiting = waitingNotice(run.records.approvals);
  const emit: Emit = (event) => {
    waiting.show(event);
    return show(event);
  };
  try {
    const end = await run.gate.runToolCall({ id: newId("call"), name: "shell", input: { command } }, { signal, emit });
    waiting.end();
    await run.end(end.kind);
    return end;
  } catch (error) {
    waiting.end();
    await run.end("failed", error instanceof Error ? error.name : "fault");
    throw error;
  }
}

/** A terminal gets no control characters of a command's; a pipe gets the text as it is. */
function showOutput(event: GateEvent): unknown {
  if (event.kind !== "tool-output") return undefined;
  const stream = event.stream === "stdout" ? process.stdout : process.stderr;
  return writePaced(stream, stream.isTTY ? makeVisible(event.text) : event.text);
}

function explain(end: CallEnd): void {
  const details = end.result.details ?? {};
  // What was cancelled had been allowed: what it printed was shown as it came, and no rule explains its end.
  if (end.kind === "executed" || end.kind === "cancelled") {
    if (details["outcome"] !== "completed") process.stderr.write(`warder: ${firstLine(end)}\n`);
    const printed = (details["stderr"] as BoundedOutput | undefined)?.text ?? "";
    const lead = printed === "" || printed.endsWith("\n") ? "" : "\n";
    for (const [index, note] of notesOf(end.result).entries()) process.stderr.write(`${index === 0 ? lead : ""}warder: ${makeVisible(note)}\n`);
    if (typeof details["reason"] === "string") process.stderr.write(`  ${makeVisible(details["reason"])}\n`);
    for (const name of ["stdout", "stderr"] as const) {
      const output = details[name] as BoundedOutput | undefined;
      if (output !== undefined && output.cutBytes > 0) process.stderr.write(`warder: ${output.cutBytes} of ${output.totalBytes} bytes of ${name} were cut\n`);
    }
    return;
  }
  process.stderr.write(`warder: ${makeVisible(textOf(end))}\n`);
  for (const rule of end.ruling?.decision.rules ?? [])
    if (rule.verdict === end.ruling?.decision.verdict) process.stderr.write(`  ${rule.verdict}  ${ruleText(rule)}  ${makeVisible(rule.reason)}\n`);
}

function jsonOf(run: string, end: CallEnd, durationMs: number): Record<string, unknown> {
  const details = end.result.details ?? {};
  const stdout = details["stdout"] as BoundedOutput | undefined;
  const stderr = details["stderr"] as BoundedOutput | undefined;
  return {
    run,
    ruling: end.ruling,
    outcome: {
      kind: end.kind === "executed" ? (details["outcome"] ?? "failed") : end.kind === "cancelled" ? "cancelled" : "denied",
      exitCode: details["exitCode"] ?? null,
      signal: details["signal"] ?? null,
      stdout: stdout?.text ?? "",
      stderr: stderr?.text ?? (end.kind === "executed" ? "" : textOf(end)),
      notes: notesOf(end.result),
      truncated: (stdout?.cutBytes ?? 0) + (stderr?.cutBytes ?? 0) > 0,
      durationMs: Math.round(durationMs),
    },
  };
}

function exitCodeOfCall(end: CallEnd, signal: AbortSignal): number {
  if (end.kind === "executed") return end.result.details?.["exitCode"] === 0 && end.result.details["outcome"] === "completed" ? EXIT.done : EXIT.failed;
  if (end.kind === "cancelled" || signal.aborted) return EXIT.interrupted;
  if (end.kind === "budget") return EXIT.budgetSpent;
  if (end.kind === "fault") return EXIT.failed;
  return EXIT.denied;
}

function textOf(end: CallEnd): string {
  return resultText(end.result);
}

function firstLine(end: CallEnd): string {
  return makeVisible(textOf(end).split("\n")[0] ?? "");
}
