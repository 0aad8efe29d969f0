import { continuationOf, openCalls } from "../../agent/journal.ts";
import { renderResult } from "../../agent/calls/result-text.ts";
import { tailAudit } from "../../audit/log/read.ts";
import type { AuditLog } from "../../audit/log/log.ts";
import type { AuditRecord } from "../../audit/entries/entry.ts";
import { readLabels } from "../../policy/label.ts";
import type { Records } from "../records/records.ts";
import { journalOf, readSteps } from "./journal.ts";
import type { ToolCallPart, ToolResultPart } from "../../providers/contract/message.ts";

/** Actions that change nothing: a call that had only begun these may be done again. */
const READS = new Set(["read-file", "list", "search", "read-job", "list-jobs"]);
/** More records than one call leaves. */
const MAX_RECORDS = 100_000;

/**
 * What became of a call whose process ended before its answer was kept, according to the audit log. Returns an answer for the model, or null if nothing
 * can have happened, so that the call may run now. What may have happened is never repeated automatically.
 */
export function answerOfBegun(audit: AuditLog, runId: string, call: ToolCallPart): ToolResultPart | null {
  const records = tailAudit(audit, { run: runId, limit: MAX_RECORDS }).filter((record) => record.payload["call"] === call.callId);
  const first = records.find((record) => record.kind === "permit-spent" && !READS.has(textOf(record, "does")));
  if (first === undefined) return null;
  const outcome = records.findLast((record) => record.kind === "outcome" && record.seq > first.seq);
  const text = outcome === undefined ? uncertain(first) : happened(outcome);
  const labels = readLabels(outcome?.payload["labels"]);
  return {
    kind: "tool-result",
    callId: call.callId,
    name: call.name,
    text,
    isError: true,
    ...(labels === null ? {} : { labels }),
  };
}

/** What the model is told of a call that had not begun when a person said something else. */
export function answerOfSkipped({ callId, name }: ToolCallPart): ToolResultPart {
  const text = renderResult({ content: [{ kind: "text", text: "Skipped due to queued user message." }], isError: true, label: "trusted" }, "");
  return { kind: "tool-result", callId, name, text, isError: true };
}

/** Answers the open calls of a run of which something may have happened. Any of them can have begun: some run beside each other. */
export function answerWhatHadBegun({ store, audit }: Pick<Records, "store" | "audit">, { id, task }: { readonly id: string; readonly task: string }): void {
  const { steps, seen } = readSteps(store, id);
  const continuation = continuationOf(task, steps);
  const journal = journalOf({ audit, runId: id }, seen);
  for (const call of openCalls(continuation)) {
    const part = answerOfBegun(audit, id, call.part);
    if (part !== null) journal.record({ kind: "result", part, elapsedMs: continuation.elapsedMs });
  }
}

function uncertain(permit: AuditRecord): string {
  return renderResult(
    {
      content: [
        {
          kind: "text",
          text: `Interrupted: Warder ended while this was under way (${textOf(permit, "does")}, begun at ${permit.at}), and no outcome is recorded. It may have happened wholly, in part, or not at all. It was NOT done again. Look at what it left before you decide whether to do it again, and say at the end that this is uncertain.`,
        },
      ],
      isError: true,
      label: "trusted",
    },
    "",
  );
}

function happened(outcome: AuditRecord): string {
  const result = outcome.payload["result"];
  const said = typeof result === "string" ? result : `${JSON.stringify(result)}\n(only this much was recorded)`;
  const exit = typeof outcome.payload["exitCode"] === "number" ? `, exit code ${outcome.payload["exitCode"]}` : "";
  const warning = `this ran before Warder ended, and was not done again; it was recorded as ${textOf(outcome, "outcome")}${exit}; what follows is the record of its output`;
  return renderResult({ content: [{ kind: "text", text: said }], isError: true, label: "untrusted" }, warning);
}

function textOf(record: AuditRecord, key: string): string {
  const value = record.payload[key];
  return typeof value === "string" ? value : "unknown";
}
