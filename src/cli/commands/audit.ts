import { AgentError } from "../../base/errors.ts";
import { makeVisibleLine } from "../../base/text.ts";
import type { AuditRecord } from "../../audit/entry.ts";
import { tailAudit } from "../../audit/audit-tail.ts";
import { verifyAudit } from "../../audit/audit-verify.ts";
import { withRecords } from "../../app/records.ts";
import { EXIT } from "../exit-code.ts";
import { callText, shortPath } from "../ruling-text.ts";
import { paint, paintVerdict } from "../style.ts";

/** `warder audit tail`: the newest records that match, the oldest of them first. */
export function tail(options: { limit: string; run?: string; json?: boolean }): number {
  const limit = Number(options.limit);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100_000) throw new AgentError("usage", "--limit takes a whole number from 1 to 100000.");
  return withRecords(({ audit }) => {
    for (const record of tailAudit(audit, { limit, ...(options.run === undefined ? {} : { run: options.run }) })) {
      process.stdout.write(`${options.json === true ? JSON.stringify(flat(record)) : line(record)}\n`);
    }
    return EXIT.done;
  });
}

/** `warder audit verify`: exit 0 when the log is whole, 1 when it was touched. A call without an end is said, and is no tampering. */
export function verify(options: { json?: boolean }): number {
  return withRecords(({ audit }) => {
    const report = verifyAudit(audit);
    if (options.json === true) {
      process.stdout.write(`${JSON.stringify(report)}\n`);
      return report.isIntact ? EXIT.done : EXIT.failed;
    }
    for (const problem of report.problems) process.stdout.write(`${paint("red", `record ${problem.seq}`)}: ${makeVisibleLine(problem.what)}\n`);
    for (const call of report.interrupted) process.stdout.write(`${paint("yellow", `record ${call.seq}`)}: ${makeVisibleLine(call.what)}\n`);
    const summary = report.isIntact
      ? paint("green", `The audit log is whole: ${report.records} records.`)
      : paint("red", `The audit log was touched: ${report.problems.length} problems in ${report.records} records.`);
    process.stdout.write(`${summary}\n`);
    return report.isIntact ? EXIT.done : EXIT.failed;
  });
}

function flat(record: AuditRecord): Record<string, unknown> {
  const { payload, ...envelope } = record;
  return { ...envelope, ...payload };
}

function line(record: AuditRecord): string {
  const time = record.at.slice(11, 23);
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
      return `${text("runtime")} ${text("image").slice(0, 19)}`;
    case "sandbox-closed":
      return text("session");
    case "ruling":
      return `${paintVerdict(text("verdict"))} ${text("tool")} ${callText(payload["input"])}\n${" ".repeat(40)}${rulesOf(payload)}`;
    case "call-rejected":
      return `${paintVerdict("deny")} ${text("tool")} ${callText(payload["input"])}\n${" ".repeat(40)}${paint("dim", text("problem"))}`;
    case "permit-spent":
      return `${text("does")} ${callText(payload["target"])}`;
    case "outcome":
      return `${text("outcome")}${typeof payload["exitCode"] === "number" ? ` exit ${payload["exitCode"]}` : ""} ${paint("dim", `${String(payload["durationMs"])} ms`)}`;
    case "connection":
      return `${paintVerdict(text("decision"))} ${text("host")}:${String(payload["port"])} ${paint("dim", `${text("reason")}, ${String(payload["bytesUp"])} bytes up, ${String(payload["bytesDown"])} down`)}`;
    default:
      return makeVisibleLine(JSON.stringify(payload));
  }
}

function rulesOf(payload: Readonly<Record<string, unknown>>): string {
  const rules = Array.isArray(payload["rules"]) ? (payload["rules"] as { id?: unknown; verdict?: unknown; at?: unknown }[]) : [];
  const spoke = rules
    .filter((rule) => rule.verdict === payload["verdict"])
    .map((rule) => `${String(rule.id)}${typeof rule.at === "string" ? ` (${shortPath(rule.at)})` : ""}`);
  return paint("dim", makeVisibleLine(spoke.join(", ")));
}
