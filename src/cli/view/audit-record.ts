import type { AuditRecord } from "../../audit/entries/entry.ts";
import { makeVisibleLine } from "../../base/text.ts";
import { labelText, readLabels } from "../../policy/label.ts";
import { callText, shortPath } from "./ruling.ts";
import { paint, paintVerdict } from "./style.ts";

/** A record as one object, for programs. */
export function flatRecord(record: AuditRecord): Record<string, unknown> {
  const { payload, ...envelope } = record;
  return { ...envelope, ...payload };
}

/** Under what a record is about, behind its sequence, moment and kind. */
const UNDER = `\n${" ".repeat(50)}`;

/** A record as a line for people, with its whole moment (UTC): a log is read over days. */
export function recordLine(record: AuditRecord): string {
  const time = `${record.at.slice(0, 10)} ${record.at.slice(11, 23)}`;
  return `${paint("dim", `${String(record.seq).padStart(5)} ${time}`)}  ${record.kind.padEnd(18)} ${detail(record.kind, record.payload)}`;
}

function detail(kind: string, payload: Readonly<Record<string, unknown>>): string {
  const text = (key: string): string => (typeof payload[key] === "string" ? makeVisibleLine(payload[key]) : "");
  switch (kind) {
    case "policy-loaded":
      return `${text("name")} ${text("policy").slice(0, 12)}`;
    case "run-start":
      return `${text("workspace")} · ${text("autonomy")} · ${text("model")}${payload["isScripted"] === true ? " (scripted)" : ""}`;
    case "run-end":
      return `${text("ending")} ${text("detail")}`;
    case "sandbox-opened":
      return `${text("runtime")} ${text("image").slice(0, 19)} ${text("mount")} ${heldText(payload["probed"])}`.trimEnd();
    case "image-added":
    case "image-removed":
      return `${text("name")} ${text("image").slice(0, 19)} ${paint("dim", text("by"))}`;
    case "mcp-server":
      return `${text("server")} ${text("event")} ${paint("dim", text("detail"))}`;
    case "mcp-server-signed-in":
      return `${text("server")} ${text("issuer")} ${paint("dim", text("by"))}`;
    case "mcp-server-trusted":
      return `${text("server")} ${paint("dim", text("by"))}`;
    case "skill-trusted":
    case "skill-removed":
      return `${text("skill")} ${text("digest").slice(0, 12)} ${paint("dim", text("by"))}`;
    case "openapi-trusted":
      return `${text("document")} ${paint("dim", text("by"))}`;
    case "model-switched":
      return `${text("from")} → ${text("to")} ${paint("dim", text("reason"))}`;
    case "sandbox-closed":
      return text("session");
    case "ruling":
      return `${paintVerdict(text("verdict"))} ${text("tool")} ${callText(payload["input"])}${UNDER}${rulesOf(payload)}${labelLines(payload["seen"])}`;
    case "call":
      return `${text("tool")} ${callText(payload["input"])}`;
    case "approval-requested":
      return `${text("approval")} ${paint("dim", text("rule"))}`;
    case "approval-answered":
    case "approval-given":
      return `${text("answer")} by ${text("by") || "nobody"} ${paint("dim", text("reason"))}`;
    case "approval-sent":
      return `${text("approval")} to ${text("webhook")}: ${text("state")} ${paint("dim", text("detail"))}`;
    case "approval-not-taken":
      return `${text("approval")} by ${text("way")} ${paint("dim", text("reason"))}`;
    case "grant-added":
      return `${text("grant")} ${text("pattern")} ${paint("dim", `by ${text("by")}`)}`;
    case "budget-moved":
      return makeVisibleLine(JSON.stringify(payload["amounts"]));
    case "checkpoint":
      return `up to ${String(payload["upTo"])}${text("anchor") === "" ? "" : `, ${text("state")} at ${text("anchor")}`} ${paint("dim", text("detail"))}`;
    case "call-rejected":
      return `${paintVerdict("deny")} ${text("tool")} ${callText(payload["input"])}${UNDER}${paint("dim", text("problem"))}`;
    case "hook":
      return `${text("hook")} ${text("did")} ${text("tool")} ${paint("dim", text("detail"))}`.trimEnd();
    case "hook-command":
      return `${text("hook")} at ${text("point")} ${payload["cached"] === true ? "as before" : text("outcome")}${typeof payload["exitCode"] === "number" ? ` exit ${payload["exitCode"]}` : ""} ${paint("dim", `${String(payload["durationMs"])} ms`)}`;
    case "run-hook":
      return `${text("hook")} ${text("did")} at ${text("point")} ${paint("dim", text("detail"))}`.trimEnd();
    case "permit-spent":
      return `${text("does")} ${callText(payload["target"])}`;
    case "outcome":
      return `${text("outcome")}${typeof payload["exitCode"] === "number" ? ` exit ${payload["exitCode"]}` : ""} ${paint("dim", `${String(payload["durationMs"])} ms`)}${labelLines(payload["labels"])}`;
    case "background-job-ended":
      return `${text("job")} ${text("outcome")}${typeof payload["exitCode"] === "number" ? ` exit ${payload["exitCode"]}` : ""} ${paint("dim", `${String(payload["durationMs"])} ms, ${String(payload["written"])} characters written`)}`;
    case "browser-opened":
      return paint("dim", text("image"));
    case "connection":
      return `${paintVerdict(text("decision"))} ${requestOf(payload["request"])}${text("host")}:${String(payload["port"])} ${paint("dim", `${text("reason")}, ${String(payload["bytesUp"])} bytes up, ${String(payload["bytesDown"])} down`)}`;
    case "credential-used":
      return `${paintVerdict(text("decision"))} ${text("credential")} for ${text("method")} ${text("host")}:${String(payload["port"])}${text("path")} ${paint("dim", text("reason"))}`;
    default:
      return makeVisibleLine(JSON.stringify(payload));
  }
}

/** `GET /path of `, for a connection of which the proxy saw the request. */
function requestOf(request: unknown): string {
  if (typeof request !== "object" || request === null || !("method" in request) || !("path" in request)) return "";
  return makeVisibleLine(`${String(request.method)} ${String(request.path)} of `);
}

/** Where a result came from, and what a model was given before a ruling. */
function labelLines(kept: unknown): string {
  return (readLabels(kept) ?? []).map((label) => `${UNDER}${paint("dim", makeVisibleLine(labelText(label)))}`).join("");
}

function rulesOf(payload: Readonly<Record<string, unknown>>): string {
  const rules = Array.isArray(payload["rules"]) ? (payload["rules"] as { id?: unknown; verdict?: unknown; at?: unknown }[]) : [];
  const spoke = rules
    .filter((rule) => rule.verdict === payload["verdict"])
    .map((rule) => `${String(rule.id)}${typeof rule.at === "string" ? ` (${shortPath(rule.at)})` : ""}`);
  return paint("dim", makeVisibleLine(spoke.join(", ")));
}

/** How much of a sandbox's boundary was looked at; nothing for an older record. */
const heldText = (probed: unknown): string => (Array.isArray(probed) ? paint("dim", `${String(probed.length)} properties hold`) : "");
