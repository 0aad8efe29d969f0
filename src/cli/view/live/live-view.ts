import type { AgentEvent } from "../../../agent/events.ts";
import { makeVisible, makeVisibleLine } from "../../../base/text.ts";
import { createFoldedOutput, type FoldedOutput } from "./folded-output.ts";
import { callText, rulingText } from "../ruling.ts";
import { createSpinner } from "./spinner.ts";
import { counted, formatDuration, paint } from "../style.ts";
import { TODO_WRITE, todoLines, todosIn } from "../../../tools/contract/todo-list.ts";

export type LiveView = {
  show(event: AgentEvent): void;
  /** Something goes on of which no event tells, until the next one or {@link LiveView.end}. */
  wait(label: string): void;
  end(): void;
};

/** Of a sub-agent nothing is printed of these. */
const SILENT: ReadonlySet<AgentEvent["kind"]> = new Set(["turn-start", "turn-end", "message-start", "message-delta", "message-end", "tool-start"]);

type Totals = { calls: number; refused: number; startedAtMs: number };

/**
 * Shows a run as it happens: what the model says, each call with its verdict and rule, its output folded, a spinner on a terminal, and totals at the
 * end. Text from a model, a file or a command is made visible first.
 */
export function createLiveView(out: NodeJS.WriteStream, indent = ""): LiveView {
  const spinner = createSpinner(out);
  const totals: Totals = { calls: 0, refused: 0, startedAtMs: performance.now() };
  const folds = new Map<string, FoldedOutput>();
  const ruled = new Set<string>();
  const denied = new Set<string>();
  let isInText = false;

  const children = new Map<string, LiveView>();
  let shown = "";

  const print = (line: string): void => void out.write(`${line.replace(/^\n?/u, (start) => `${start}${indent}`)}\n`);
  const endText = (): void => {
    if (isInText) out.write("\n");
    isInText = false;
  };
  const printOutput = (lines: readonly string[]): void => {
    for (const line of lines) print(paint("dim", `  │ ${line}`, out));
  };

  const handlers: { readonly [K in AgentEvent["kind"]]?: (event: Extract<AgentEvent, { kind: K }>) => void } = {
    "run-start": (event) =>
      print(
        indent === ""
          ? `${paint("bold", event.runId, out)} ${paint("dim", `· ${event.model}${event.isScripted ? " (scripted)" : ""} · ${event.workspace}`, out)}`
          : `\n${paint("bold", `sub-agent ${event.runId}`, out)} ${firstLineOf(event.task)}`,
      ),
    "model-switch": ({ from, to, reason }) => {
      print(paint("yellow", `${makeVisibleLine(to)} answers in place of ${makeVisibleLine(from)}: ${firstLineOf(reason)}`, out));
      spinner.start("thinking");
    },
    "turn-not-kept": ({ turn, reason }) => print(paint("yellow", `The run cannot go back to turn ${String(turn)}: ${firstLineOf(reason)}`, out)),
    "turn-start": () => spinner.start("thinking"),
    "message-start": () => spinner.start("thinking"),
    // Of a sub-agent its parent reads the last words; who watches sees what it does.
    "message-delta": (event) => {
      if (indent !== "") return;
      if (!isInText) out.write("\n");
      isInText = true;
      out.write(makeVisible(event.text));
    },
    ruling: (event) => {
      ruled.add(event.ruling.callId);
      totals.calls += 1;
      if (event.ruling.decision.verdict === "deny") {
        totals.refused += 1;
        denied.add(event.ruling.callId);
      }
      print(`\n${paint("cyan", "▸", out)} ${paint("bold", event.ruling.tool, out)}  ${callText(event.input)}`);
      print(`  ${rulingText(event.ruling.decision)}`);
      if (event.ruling.tool === TODO_WRITE) printOutput(todoLines(todosIn(event.input) ?? []));
      if (event.ruling.decision.verdict === "deny") print(`  ${paint("red", makeVisibleLine(event.ruling.decision.reason), out)}`);
    },
    "approval-requested": (event) => print(`  waiting for an answer (${event.approvalId}, rule ${event.rule})`),
    "approval-answered": (event) =>
      print(`  ${event.isGranted ? "granted" : "refused"} by ${makeVisibleLine(event.by)}${event.reason === "" ? "" : `: ${makeVisibleLine(event.reason)}`}`),
    "tool-start": (event) => {
      folds.set(event.callId, createFoldedOutput());
      spinner.start(event.tool);
    },
    "user-message": (event) => {
      for (const line of makeVisible(event.text).trimEnd().split("\n")) print(`  » ${paint("bold", line, out)}`);
    },
    "tool-output": (event) => printOutput(folds.get(event.callId)?.add(event.text) ?? []),
    "tool-end": (event) => {
      printOutput(folds.get(event.callId)?.end() ?? []);
      folds.delete(event.callId);
      print(paint("dim", `  └ ${endingText(event)} in ${formatDuration(event.durationMs)}`, out));
      for (const note of event.notes) print(`    ${paint("yellow", makeVisibleLine(note), out)}`);
    },
    "tool-result": (event) => {
      if (event.ending === "executed" && event.isError) print(`    ${paint("red", firstLineOf(event.text), out)}`);
      // A question that nobody answered ends as denied, and its ruling did not say so.
      const isTold =
        event.ending === "executed" || (event.ending === "denied" ? denied.has(event.callId) : event.ending === "invalid" && ruled.has(event.callId));
      if (isTold) return;
      if (!ruled.has(event.callId)) {
        totals.calls += 1;
        // A hook denies a call before any ruling.
        if (event.ending === "budget" || event.ending === "denied") totals.refused += 1;
        print(`\n${paint("cyan", "▸", out)} ${paint("bold", makeVisibleLine(event.tool), out)}`);
      } else if (event.ending === "refused" || event.ending === "denied") totals.refused += 1;
      print(`  ${paint("red", event.ending, out)} ${paint("dim", `· ${firstLineOf(event.text)}`, out)}`);
    },
    "child-event": ({ name, event }) => {
      const view = children.get(event.runId) ?? createLiveView(out, `${indent}  `);
      children.set(event.runId, view);
      // Those of a crew work side by side: a line says whose what follows is.
      const isOther = name !== undefined && shown !== event.runId && !SILENT.has(event.kind);
      if (isOther) print(`\n${paint("dim", `${makeVisibleLine(name)} · ${event.runId}`, out)}`);
      if (isOther) shown = event.runId;
      view.show(event);
    },
    "run-hook": ({ hook, point, did, detail }) => print(paint("yellow", `hook ${hook} ${did} at ${point}: ${makeVisibleLine(detail)}`, out)),
    "run-end": (event) => {
      const { end } = event;
      const usage = counted(end.usage.inputTokens + end.usage.outputTokens, "token");
      // A script that was played says what came instead, over lines.
      const [reason = "", ...more] = makeVisible(end.reason).trimEnd().split("\n");
      const ending = reason === "" ? end.kind : `${end.kind}: ${reason}`;
      print(
        `\n${paint(end.kind === "done" ? "green" : "red", ending, out)} ${paint("dim", `· ${counted(end.turns, "turn")} · ${counted(totals.calls, "call")}, ${totals.refused} refused · ${usage} · ${formatDuration(performance.now() - totals.startedAtMs)}`, out)}`,
      );
      printOutput(more);
    },
  };

  return {
    wait: (label) => spinner.start(label),
    end() {
      spinner.stop();
      for (const view of children.values()) view.end();
    },
    show(event) {
      this.end();
      if (event.kind !== "message-delta") endText();
      (handlers[event.kind] as ((event: AgentEvent) => void) | undefined)?.(event);
      if (event.kind === "tool-output") spinner.start("running");
    },
  };
}

/** A command that ran to its end and failed says so: that it completed is no news. */
function endingText({ outcome, exitCode }: Extract<AgentEvent, { kind: "tool-end" }>): string {
  return outcome === "completed" && exitCode !== null && exitCode !== 0 ? `exit ${exitCode}` : outcome;
}

function firstLineOf(text: string): string {
  const line = text.split("\n").find((candidate) => candidate !== "" && !candidate.startsWith("[")) ?? "";
  return makeVisibleLine(line).slice(0, 300);
}
