import { redactFor } from "../../audit/entries/redact.ts";
import { type ModelShare, totalUsd } from "../models/spent.ts";
import type { RunEnd } from "../../agent/run-end.ts";
import type { AuditLog } from "../../audit/log/log.ts";
import { tailAudit } from "../../audit/log/read.ts";
import type { AuditRecord } from "../../audit/entries/entry.ts";

/** What a call was about: its tool, and its command, path or arguments in one line. */
export type CallLine = { readonly tool: string; readonly what: string; /** The sub-agent that made it; absent: the run itself. */ readonly child?: string };

/** A whole run in one value, for whoever was not there or did not look: everything since its start, over all its suspensions. */
export type RunSummary = {
  readonly run: string;
  readonly task: string;
  readonly ending: RunEnd["kind"];
  readonly reason: string;
  /** What ended well: of a command, with the exit code 0. */
  readonly done: readonly (CallLine & { readonly outcome: string; readonly exitCode: number | null })[];
  /**
   * What did not come to its end, changed nothing, or was a mistake of the model (`rejected`): the first line of what the model was told. A command that ran and
   * ended with another exit code than 0 is `completed`, with that code.
   */
  readonly failed: readonly (CallLine & { readonly outcome: string; readonly exitCode: number | null; readonly reason: string })[];
  readonly refused: readonly (CallLine & { readonly rule: string; readonly reason: string })[];
  readonly parked: (CallLine & { readonly approval: string; readonly rule: string }) | null;
  /** Each thing that it had to ask; `wouldAnswer` is what the policy would have to say instead, null when no line of it could. */
  readonly asked: readonly (CallLine & {
    readonly rule: string;
    readonly answer: "granted" | "refused" | "nobody" | "waiting" | "void";
    readonly by: string | null;
    readonly wouldAnswer: string | null;
  })[];
  /** Null where the workspace keeps no changes apart. */
  readonly changes: {
    readonly count: number;
    readonly paths: readonly string[];
    /** Nobody looked on, and it was done in a repository. */ readonly isForBranch: boolean;
  } | null;
  readonly cost: { readonly turns: number; readonly tokens: number; /** Null: the price is not known. */ readonly usd: number | null };
  /** What each model answered. */
  readonly models: readonly ModelShare[];
  /** When another model took over, and why. */
  readonly switches: readonly { readonly from: string; readonly to: string; readonly reason: string }[];
  /** What it told the person, in order. */
  readonly messages: readonly { readonly text: string; readonly child?: string }[];
  /** What it keeps for later runs. */
  readonly remembered: readonly (CallLine & { readonly memory: string })[];
  /** Its sub-agents, and theirs: what they did stands in the lists above, with their name. */
  readonly children: readonly { readonly run: string; readonly task: string; readonly ending: string }[];
};

export type SummaryParts = {
  readonly audit: AuditLog;
  readonly run: string;
  readonly task: string;
  readonly end: RunEnd;
  readonly changes: readonly string[] | null;
  readonly isForBranch: boolean;
  readonly models: readonly ModelShare[];
  readonly children: RunSummary["children"];
};

const MAX_RECORDS = 100_000;
const MAX_PATHS = 50;

/** Reads the log of a run into a summary. */
export function summarise(parts: SummaryParts): RunSummary {
  const { end, changes } = parts;
  const runs = [parts.run, ...parts.children.map(({ run }) => run)];
  const records = runs.flatMap((run) => tailAudit(parts.audit, { run, limit: MAX_RECORDS })).toSorted((one, other) => one.seq - other.seq);
  const lineOf = (record: AuditRecord | undefined): CallLine => ({
    ...callLine(record),
    ...(record === undefined || record.run === null || record.run === parts.run ? {} : { child: record.run }),
  });
  const rulings = new Map(records.filter((record) => record.kind === "ruling").map((record) => [textOf(record, "ruling"), record]));
  const rulingOf = (record: AuditRecord): AuditRecord | undefined => rulings.get(textOf(record, "ruling"));
  const outcomes = records.filter((record) => record.kind === "outcome");
  const denied = records.filter((record) => record.kind === "ruling" && textOf(record, "verdict") === "deny");
  const hooks = blockersOf(records);
  const askedByRuling = askedOf(records, { rulingOf, lineOf });
  const asked = [...askedByRuling.values()];
  const open = openOf(records, end, askedByRuling);
  return {
    run: parts.run,
    task: redactFor(parts.audit)(parts.task),
    ending: end.kind,
    reason: end.reason,
    done: outcomes
      .filter(endedWell)
      .map((record) => ({ ...lineOf(rulingOf(record)), outcome: textOf(record, "outcome"), exitCode: numberOf(record, "exitCode") })),
    failed: records.flatMap((record) => {
      if (hooks.has(record)) return [];
      if (record.kind === "call-rejected") return [{ ...lineOf(record), outcome: "rejected", exitCode: null, reason: textOf(record, "problem") }];
      if (record.kind !== "outcome" || endedWell(record) || askedByRuling.get(keyOf(record, "ruling"))?.answer === "refused") return [];
      const outcome = textOf(record, "outcome");
      // What a command printed first says nothing of its end.
      const reason = outcome === "completed" ? "" : firstLineOf(record.payload["result"]);
      return [{ ...lineOf(rulingOf(record)), outcome, exitCode: numberOf(record, "exitCode"), reason }];
    }),
    refused: [
      ...denied.map((record) => ({ ...lineOf(record), rule: ruleOf(record), reason: textOf(record, "reason") })),
      ...[...hooks].map(([record, hook]) => ({ ...lineOf(record), rule: `hook-${hook}`, reason: textOf(record, "problem") })),
      ...asked.flatMap(({ tool, what, rule, answer, by, child }) =>
        answer === "refused" || answer === "nobody"
          ? [
              {
                tool,
                what,
                ...(child === undefined ? {} : { child }),
                rule,
                reason: answer === "refused" ? `refused by ${by ?? "a person"}` : "it wanted a person's word, and nobody gave it",
              },
            ]
          : [],
      ),
    ],
    parked:
      end.kind === "parked" && open !== undefined
        ? { tool: open.tool, what: open.what, ...(open.child === undefined ? {} : { child: open.child }), rule: open.rule, approval: end.approvalId }
        : null,
    asked,
    changes: changes === null ? null : { count: changes.length, paths: changes.slice(0, MAX_PATHS), isForBranch: parts.isForBranch },
    cost: { turns: end.turns, tokens: end.usage.inputTokens + end.usage.outputTokens, usd: totalUsd(parts.models) },
    models: parts.models,
    switches: records.flatMap((record) =>
      record.kind === "model-switched" ? [{ from: textOf(record, "from"), to: textOf(record, "to"), reason: textOf(record, "reason") }] : [],
    ),
    messages: records.flatMap((record) => {
      if (record.kind !== "user-message") return [];
      const { child } = lineOf(record);
      return [{ text: textOf(record, "text"), ...(child === undefined ? {} : { child }) }];
    }),
    remembered: records.flatMap((record) => (record.kind === "memory-stored" ? [{ ...lineOf(rulingOf(record)), memory: textOf(record, "memory") }] : [])),
    children: parts.children,
  };
}

function endedWell(record: AuditRecord): boolean {
  return textOf(record, "outcome") === "completed" && (numberOf(record, "exitCode") ?? 0) === 0;
}

/** What the run waits for: of several questions that wait, the one that it was suspended at. */
function openOf(records: readonly AuditRecord[], end: RunEnd, asked: ReadonlyMap<string, Asked>): Asked | undefined {
  if (end.kind !== "parked") return undefined;
  const request = records.find((record) => record.kind === "approval-requested" && textOf(record, "approval") === end.approvalId);
  return request === undefined ? undefined : asked.get(keyOf(request, "ruling"));
}

type Asked = RunSummary["asked"][number];

function keyOf(record: AuditRecord, ruling: "ruling" | "bound"): string {
  return `${textOf(record, "call")} ${textOf(record, ruling)}`;
}

type Reading = {
  readonly rulingOf: (record: AuditRecord) => AuditRecord | undefined;
  readonly lineOf: (record: AuditRecord | undefined) => CallLine;
};

const callOf = (record: AuditRecord): string => `${record.run ?? ""} ${textOf(record, "call")}`;

const isBlock = (record: AuditRecord): boolean => record.kind === "hook" && ["blocked", "failed"].includes(textOf(record, "did"));

/** Calls that a hook ended before any policy was asked: the record of their end, and the hook's name. */
function blockersOf(records: readonly AuditRecord[]): ReadonlyMap<AuditRecord, string> {
  const blocked = new Map<string, string>();
  const ended = new Map<AuditRecord, string>();
  for (const record of records) {
    if (isBlock(record)) blocked.set(callOf(record), textOf(record, "hook"));
    const hook = record.kind === "call-rejected" ? blocked.get(callOf(record)) : undefined;
    if (hook !== undefined) ended.set(record, hook);
  }
  return ended;
}

/** Each ruling that asked, once, with the last that is known of its answer. */
function askedOf(records: readonly AuditRecord[], { rulingOf, lineOf }: Reading): ReadonlyMap<string, Asked> {
  const asked = new Map<string, Asked>();
  const lastOfCall = new Map<string, string>();
  for (const record of records) {
    const key = keyOf(record, "ruling");
    if (isBlock(record)) {
      // A hook that spoke while the question stood open kept it from the person.
      const open = lastOfCall.get(callOf(record)) ?? "";
      const before = asked.get(open);
      if (before?.answer === "waiting") asked.set(open, { ...before, answer: "refused", by: `hook ${textOf(record, "hook")}` });
    } else if (record.kind === "ruling" && textOf(record, "verdict") === "ask") {
      lastOfCall.set(callOf(record), key);
      const settled = record.payload["settledBy"];
      asked.set(key, { ...lineOf(record), rule: ruleOf(record), answer: "waiting", by: null, wouldAnswer: typeof settled === "string" ? settled : null });
    } else if (record.kind === "approval-answered") {
      const before = asked.get(key) ?? { ...lineOf(rulingOf(record)), rule: "unknown", wouldAnswer: null };
      const answer = textOf(record, "answer") as "granted" | "refused" | "nobody";
      asked.set(key, { ...before, answer, by: typeof record.payload["by"] === "string" ? record.payload["by"] : null });
    } else if (record.kind === "approval-void") {
      const voided = keyOf(record, "bound");
      const before = asked.get(voided);
      if (before !== undefined) asked.set(voided, { ...before, answer: "void" });
    }
  }
  return asked;
}

function callLine(record: AuditRecord | undefined): CallLine {
  if (record === undefined) return { tool: "unknown", what: "" };
  const input = record.payload["input"];
  const named: Readonly<Record<string, unknown>> = typeof input === "object" && input !== null ? { ...input } : {};
  const what = ["command", "path", "pattern"].map((key) => named[key]).find((value) => typeof value === "string");
  return { tool: textOf(record, "tool"), what: typeof what === "string" ? what : JSON.stringify(input) };
}

function ruleOf(record: AuditRecord): string {
  const rules = record.payload["rules"];
  const first: unknown = Array.isArray(rules) ? rules[0] : null;
  if (typeof first !== "object" || first === null || !("id" in first)) return "unknown";
  return "at" in first ? `${String(first.id)} (${String(first.at)})` : String(first.id);
}

/** Of a result as it is stored: a text, or the beginning of one. */
function firstLineOf(result: unknown): string {
  const preview = typeof result === "object" && result !== null && "preview" in result ? result.preview : result;
  return typeof preview === "string" ? (preview.split("\n", 1)[0] ?? "") : "";
}

function textOf(record: AuditRecord, key: string): string {
  const value = record.payload[key];
  return typeof value === "string" ? value : "";
}

function numberOf(record: AuditRecord, key: string): number | null {
  const value = record.payload[key];
  return typeof value === "number" ? value : null;
}
