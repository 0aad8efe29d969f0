import type { AuditRecord } from "../../audit/entries/entry.ts";
import { redactSecrets } from "../../audit/entries/redact.ts";
import { cutMiddle } from "../../base/cut.ts";
import { labelText, readLabels } from "../../policy/label.ts";
import type { ToolCallPart, ToolResultPart } from "../../providers/contract/message.ts";

/** One call: what was wanted, what was decided and by which rules, what a person said, what came of it. */
export type CallStory = {
  readonly tool: string;
  /** A script of the call before made it. */
  readonly isInScript: boolean;
  /** Its command, else its path, else its arguments. */
  readonly about: string;
  readonly verdict: "allow" | "ask" | "deny" | "rejected" | "none";
  readonly risk: string;
  readonly reason: string;
  /** `id (file:line)` each. */
  readonly rules: readonly string[];
  /** `granted by ann` and the like. */
  readonly answers: readonly string[];
  /** `completed`, `failed`…; empty: it was not carried out, or nobody knows. */
  readonly outcome: string;
  readonly exitCode: number | null;
  readonly durationMs: number | null;
  readonly result: string;
  /** Where the result came from, a line each. */
  readonly labels: readonly string[];
};

export type CallStories = {
  /** A call of the conversation. */
  readonly of: (part: ToolCallPart) => CallStory;
  /** Those that its script made, in their order. */
  readonly within: (part: ToolCallPart) => readonly CallStory[];
  /** Those of the log that nobody asked for with {@link CallStories.of}. */
  readonly rest: () => readonly CallStory[];
};

const MAX_RESULT_CHARACTERS = 8_000;

/** Sorts the records of a run by its calls. `results`: what the model read, where the conversation is kept. */
export function callStories(records: readonly AuditRecord[], results: ReadonlyMap<string, ToolResultPart>): CallStories {
  const byCall = Map.groupBy(
    records.filter(({ payload }) => typeof payload["call"] === "string"),
    ({ payload }) => String(payload["call"]),
  );
  const told = new Set<string>();
  const fromLog = (call: string): readonly CallStory[] => {
    const of = byCall.get(call) ?? [];
    const first = of.find(({ kind }) => kind === "ruling" || kind === "call-rejected");
    if (told.has(call) || first === undefined) return [];
    told.add(call);
    return [storyOf(of, { call, tool: String(first.payload["tool"]), input: first.payload["input"], result: results.get(call)?.text ?? null })];
  };
  return {
    of: ({ callId, name, input }) => {
      told.add(callId);
      return storyOf(byCall.get(callId) ?? [], { call: callId, tool: name, input, result: results.get(callId)?.text ?? null });
    },
    within: ({ callId }) =>
      [...byCall.keys()]
        .filter((call) => call.startsWith(`${callId}.`))
        .toSorted((one, other) => numberOf(one) - numberOf(other))
        .flatMap(fromLog),
    rest: () => [...byCall.keys()].flatMap(fromLog),
  };
}

const numberOf = (call: string): number => Number(call.slice(call.lastIndexOf(".") + 1));

type Wanted = { readonly call: string; readonly tool: string; readonly input: unknown; readonly result: string | null };

function storyOf(records: readonly AuditRecord[], { call, tool, input, result }: Wanted): CallStory {
  const ruling = records.findLast(({ kind }) => kind === "ruling")?.payload;
  const rejected = records.findLast(({ kind }) => kind === "call-rejected")?.payload;
  const outcome = records.findLast(({ kind }) => kind === "outcome")?.payload;
  const verdict = ruling?.["verdict"];
  return {
    tool,
    // An identifier of a model's call has no dot.
    isInScript: call.includes("."),
    about: redactSecrets(cutMiddle(aboutOf(input), MAX_RESULT_CHARACTERS)),
    verdict: verdict === "allow" || verdict === "ask" || verdict === "deny" ? verdict : rejected === undefined ? "none" : "rejected",
    risk: textOf(ruling?.["risk"]),
    reason: redactSecrets(textOf(ruling?.["reason"] ?? rejected?.["problem"])),
    rules: rulesOf(ruling?.["rules"], verdict),
    answers: records.flatMap(({ kind, payload }) =>
      kind === "approval-answered" ? [`${textOf(payload["answer"])}${typeof payload["by"] === "string" ? ` by ${payload["by"]}` : ""}`] : [],
    ),
    outcome: textOf(outcome?.["outcome"]),
    exitCode: typeof outcome?.["exitCode"] === "number" ? outcome["exitCode"] : null,
    durationMs: typeof outcome?.["durationMs"] === "number" ? outcome["durationMs"] : null,
    labels: (readLabels(outcome?.["labels"]) ?? []).map((label) => redactSecrets(labelText(label))),
    result: redactSecrets(cutMiddle(result ?? storedTextOf(outcome?.["result"]), MAX_RESULT_CHARACTERS)),
  };
}

function aboutOf(input: unknown): string {
  const named: Readonly<Record<string, unknown>> = typeof input === "object" && input !== null ? { ...input } : {};
  const what = ["command", "path", "pattern"].map((key) => named[key]).find((value) => typeof value === "string");
  return typeof what === "string" ? what : (JSON.stringify(input) ?? "");
}

/** Those that spoke for what was decided. */
function rulesOf(rules: unknown, verdict: unknown): readonly string[] {
  if (!Array.isArray(rules)) return [];
  return (rules as { readonly id?: unknown; readonly at?: unknown; readonly verdict?: unknown }[]).flatMap((rule) =>
    rule.verdict === verdict ? [`${textOf(rule.id)}${typeof rule.at === "string" ? ` (${rule.at})` : ""}`] : [],
  );
}

/** Of what a record holds: a text, or the beginning of one. */
function storedTextOf(stored: unknown): string {
  if (typeof stored === "object" && stored !== null && "preview" in stored) return `${textOf(stored.preview)}\n[only the beginning is in the log]`;
  return textOf(stored);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
