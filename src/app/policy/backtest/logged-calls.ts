import type { AuditLog } from "../../../audit/log/log.ts";
import { readAudit, tailAudit } from "../../../audit/log/read.ts";
import type { AuditRecord } from "../../../audit/entries/entry.ts";
import type { Verdict } from "../../../policy/decision.ts";
import { type Label, readLabels } from "../../../policy/label.ts";

/** A call as the audit log has it: what was asked for, and what became of it. */
export type LoggedCall = {
  readonly atMs: number;
  readonly run: string;
  readonly tool: string;
  /** Secrets are redacted, and long texts cut. */
  readonly input: unknown;
  /** What the policy of that time said. */
  readonly verdict: Verdict;
  /** What people said to a question; null: nobody was asked, or nobody answered. */
  readonly answer: "granted" | "refused" | null;
  /** Null: the log no longer says where its run worked. */
  readonly workspace: string | null;
  /** `none`: of another agent, which Warder only advises. */
  readonly containment: "profile" | "none";
  readonly labels: readonly Label[];
};

export type LogSpan = { readonly since?: string; readonly until?: string; readonly run?: string };

/** Every call that the log has a ruling of, in order. A call that was ruled on again, because its ground changed, is there once, as it was ruled on first. */
export function loggedCalls(audit: AuditLog, span: LogSpan): readonly LoggedCall[] {
  const calls = new Map<string, LoggedCall>();
  const workspaces = new Map<string, string | null>();
  for (const record of readAudit(audit, span)) {
    const { kind, run, payload } = record;
    if (run === null) continue;
    if (kind === "run-start" || kind === "hook-session") workspaces.set(run, textOf(payload["workspace"]));
    const key = `${run} ${String(payload["call"])}`;
    const known = calls.get(key);
    if (kind === "approval-answered" && known !== undefined) calls.set(key, { ...known, answer: answerOf(payload["answer"]) });
    if (kind !== "ruling" || known !== undefined) continue;
    if (!workspaces.has(run)) workspaces.set(run, workspaceOf(audit, run, record));
    const call = callOf(record, run, workspaces.get(run) ?? null);
    if (call !== null) calls.set(key, call);
  }
  return [...calls.values()];
}

function callOf({ at, payload }: AuditRecord, run: string, workspace: string | null): LoggedCall | null {
  const { tool, input, verdict, seen, measured } = payload;
  if (typeof tool !== "string" || (verdict !== "allow" && verdict !== "ask" && verdict !== "deny")) return null;
  return {
    atMs: Date.parse(at),
    run,
    tool,
    input,
    verdict,
    answer: null,
    workspace,
    containment: measured === "session" ? "profile" : "none",
    labels: readLabels(seen) ?? [],
  };
}

/** Where a run works that began before the span. */
function workspaceOf(audit: AuditLog, run: string, { seq }: AuditRecord): string | null {
  const before = (["run-start", "hook-session"] as const).flatMap((kind) => tailAudit(audit, { run, kind, limit: 1 }));
  return textOf(before.find((record) => record.seq < seq)?.payload["workspace"]);
}

function answerOf(answer: unknown): LoggedCall["answer"] {
  return answer === "granted" || answer === "refused" ? answer : null;
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
