import { withRecords } from "../../../app/records/records.ts";
import { callStories, type CallStory } from "../../../audit/log/call-story.ts";
import type { AuditRecord } from "../../../audit/entries/entry.ts";
import { AgentError } from "../../../base/errors.ts";
import { makeVisible, makeVisibleLine, visibleJson } from "../../../base/text.ts";
import { flatRecord } from "../../view/audit-record.ts";
import { labelText, readLabels } from "../../../policy/label.ts";
import { EXIT } from "../../process/exit-code.ts";
import { paint, paintVerdict } from "../../view/style.ts";

export type ShowOptions = { readonly run?: string; readonly json?: boolean };

/** `warder audit show CALL`: who approved it, which rule let it, what exactly ran, with which image, what came back. */
export function showCall(call: string, options: ShowOptions): number {
  return withRecords(({ audit }) => {
    const stories = callStories(audit, call).filter(({ run }) => options.run === undefined || run === options.run);
    if (stories.length === 0)
      throw new AgentError("usage", `The audit log has no call ${makeVisibleLine(call)}.`, {
        remedy: "See: warder audit tail --kind call. Records that were archived are in their file.",
      });
    if (options.json === true) process.stdout.write(`${visibleJson({ stories: stories.map(asObject) })}\n`);
    else process.stdout.write(stories.map((story) => `${storyText(story)}\n`).join("\n"));
    return EXIT.done;
  });
}

function asObject({ call, run, ...story }: CallStory): Record<string, unknown> {
  const flat = (record: AuditRecord | null): Record<string, unknown> | null => (record === null ? null : flatRecord(record));
  return {
    call,
    run,
    policy: flat(story.policy),
    sandbox: flat(story.sandbox),
    records: story.records.map(flatRecord),
    connections: story.connections.map(flatRecord),
  };
}

/** The story as text, in the order of the log. */
export function storyText({ call, run, records, policy, sandbox, connections }: CallStory): string {
  const lines = [paint("bold", `${makeVisibleLine(call)} of ${makeVisibleLine(run ?? "no run")}`)];
  if (policy !== null) lines.push(row(policy, "Policy", `${textOf(policy, "name")}, ${textOf(policy, "policy")}`));
  if (sandbox !== null)
    lines.push(row(sandbox, "Sandbox", `${textOf(sandbox, "runtime")}, image ${textOf(sandbox, "image")}, profile ${textOf(sandbox, "profile")}`));
  for (const record of [...records, ...connections].toSorted((one, other) => one.seq - other.seq)) lines.push(...rowsOf(record));
  if (!records.some(({ kind }) => kind === "outcome" || kind === "call-rejected")) lines.push(`  ${unfinished(records)}`);
  return lines.join("\n");
}

function unfinished(records: readonly AuditRecord[]): string {
  if (records.some(({ kind }) => kind === "permit-spent")) return "No outcome is recorded: it may have happened or not.";
  const last = records.findLast(({ kind }) => kind === "ruling");
  return last !== undefined && textOf(last, "verdict") === "deny" ? "It did not run." : "Nothing of it ran.";
}

function rowsOf(record: AuditRecord): readonly string[] {
  const { payload } = record;
  const kind: string = record.kind;
  switch (kind) {
    case "call":
      return [row(record, "Wanted", `${textOf(record, "tool")} ${JSON.stringify(payload["input"])}`)];
    case "call-rejected":
      return [row(record, "Rejected", textOf(record, "problem"))];
    case "ruling":
      return [
        row(record, "Ruled", `${textOf(record, "risk")} risk: ${textOf(record, "reason")}`, paintVerdict(makeVisibleLine(textOf(record, "verdict")))),
        ...voicesOf(payload["rules"]).map((voice) => under(`rule ${voice}`)),
        ...labelsOf(payload["seen"]).map((label) => under(`the model was given before: ${label}`)),
        under(`final arguments ${JSON.stringify(payload["input"])}`),
        under(`ruling ${textOf(record, "ruling")}, image ${textOf(record, "image") || "none"}`),
      ];
    case "approval-requested":
      return [row(record, "Asked", `${textOf(record, "approval")}, by rule ${textOf(record, "rule")}`)];
    case "approval-sent":
      return [row(record, "Sent", `${textOf(record, "approval")} to ${textOf(record, "webhook")}: ${textOf(record, "state")} (${textOf(record, "detail")})`)];
    case "approval-given":
    case "approval-answered":
      return [
        row(
          record,
          kind === "approval-given" ? "Answer" : "Taken up",
          `${textOf(record, "answer")} by ${textOf(record, "by") || "nobody"}, ${textOf(record, "scope") || "-"} (${textOf(record, "reason")})`,
        ),
      ];
    case "approval-not-taken":
      return [row(record, "Not taken", `${textOf(record, "way")}: ${textOf(record, "reason")}`)];
    case "approval-void":
      return [row(record, "Void", `${textOf(record, "approval")}, which was ${textOf(record, "was")} for ruling ${textOf(record, "bound")}`)];
    case "grant-added":
      return [row(record, "Grant", `${textOf(record, "grant")}: ${textOf(record, "pattern")} in ${textOf(record, "place")}`)];
    case "budget-moved":
      return [row(record, "Counted", `${JSON.stringify(payload["amounts"])} of ${listOf(payload["limits"]).join(", ")}`)];
    case "permit-spent":
      return [row(record, "Ran", `${textOf(record, "does")} ${JSON.stringify(payload["target"])}`), under(`action ${textOf(record, "action")}`)];
    case "connection":
      return [row(record, "Connection", `${textOf(record, "decision")} ${textOf(record, "host")}:${String(payload["port"])} (${textOf(record, "reason")})`)];
    case "credential-used":
      return [row(record, "Credential", `${textOf(record, "decision")} ${textOf(record, "credential")} for ${textOf(record, "host")}`)];
    case "outcome":
      return [
        row(
          record,
          "Came back",
          `${textOf(record, "outcome")}${typeof payload["exitCode"] === "number" ? `, exit code ${payload["exitCode"]}` : ""}, after ${String(payload["durationMs"])} ms`,
        ),
        ...labelsOf(payload["labels"]).map((label) => under(`it came from what is ${label}`)),
        ...resultOf(payload["result"]),
      ];
    default:
      return [row(record, kind, JSON.stringify(payload))];
  }
}

/** `painted` is of our own words, and comes first. */
function row(record: AuditRecord, what: string, text: string, painted = ""): string {
  const head = `${paint("dim", `${String(record.seq).padStart(7)}  ${record.at}`)}  ${what.padEnd(10)}`;
  return `${head} ${painted === "" ? "" : `${painted}, `}${makeVisibleLine(text)}`;
}

const INDENT = " ".repeat(46);

function under(text: string): string {
  return `${INDENT}${paint("dim", makeVisibleLine(text))}`;
}

function voicesOf(rules: unknown): readonly string[] {
  return (Array.isArray(rules) ? rules : []).map((rule: Readonly<Record<string, unknown>>) => {
    const at = typeof rule["at"] === "string" ? ` (${rule["at"]})` : "";
    return `${String(rule["id"])}${at}: ${String(rule["verdict"])}: ${String(rule["reason"])}`;
  });
}

/** What came back: whole where the log has it whole, else how it begins and what proves it. */
function resultOf(result: unknown): readonly string[] {
  if (typeof result === "string")
    return makeVisible(result)
      .split("\n")
      .map((line) => `${INDENT}| ${line}`);
  const { preview, characters, sha256 } = (typeof result === "object" && result !== null ? result : {}) as Readonly<Record<string, unknown>>;
  if (typeof preview !== "string") return [];
  return [
    ...makeVisible(preview)
      .split("\n")
      .map((line) => `${INDENT}| ${line}`),
    under(`… ${String(characters)} characters, SHA-256 ${String(sha256)}`),
  ];
}

function labelsOf(kept: unknown): readonly string[] {
  return (readLabels(kept) ?? []).map(labelText);
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function textOf(record: AuditRecord, key: string): string {
  const value = record.payload[key];
  return typeof value === "string" ? value : "";
}
