import { appendAudit } from "../../audit/log/log.ts";
import { redactFor } from "../../audit/entries/redact.ts";
import { storedBeginning, storedText, storedValue } from "../../audit/entries/stored-value.ts";
import { makeVisibleLine } from "../../base/text.ts";
import { argumentNames } from "../../tools/contract/arguments.ts";
import { decodeInput, shownKeys } from "../../tools/decode.ts";
import type { Tool, ToolCall } from "../../tools/contract/tool.ts";
import { claimsAuthority } from "./claims-authority.ts";
import { errorResult } from "./denial-text.ts";
import type { CallEnd } from "../gate.ts";
import { NOTHING_MEASURED } from "../facts/measure.ts";
import type { GateParts } from "../gate-parts.ts";
import type { GateState } from "../gate-state.ts";
import { refusal } from "./refusal.ts";
import { refusalAsSuch } from "./refusal-reasons.ts";
import { profileDigest, rulingOf, rulingRecord, type Binding } from "./ruling.ts";

export type DecodedCall = { readonly kind: "decoded"; readonly tool: Tool; readonly input: unknown };

/** Finds the tool and its final arguments. A call that has neither ends here, recorded, and no policy is asked. */
export function decodeCall(gate: GateState, call: ToolCall): DecodedCall | { readonly kind: "rejected"; readonly end: CallEnd } {
  const tool = gate.parts.tools.find(call.name);
  if (tool === undefined) {
    const near = gate.parts.tools.near(call.name);
    const text = `Tool not found: ${makeVisibleLine(storedName(gate.parts, call))}.${near.length > 0 ? ` Did you mean ${near.join(", ")}?` : ""}`;
    recordRejection(gate, call, text);
    return { kind: "rejected", end: { kind: "unknown-tool", result: errorResult(text), ruling: null } };
  }
  const gap = gate.parts.gapOf?.(tool.name) ?? null;
  if (gap !== null) {
    const text = `Tool not available: ${tool.name}. ${gap.reason} (${makeVisibleLine(gap.gate)})`;
    recordRejection(gate, call, text);
    return { kind: "rejected", end: { kind: "unavailable", result: errorResult(text, { gate: gap.gate }), ruling: null } };
  }
  const decoded = decodeInput(tool, call.input);
  if (decoded.kind === "valid") return { kind: "decoded", tool, input: decoded.input };
  const claims = unknownKeys(tool, call.input).filter(claimsAuthority);
  if (claims.length > 0) return { kind: "rejected", end: refuseClaims(gate, call, tool, claims) };
  recordRejection(gate, call, decoded.message);
  return { kind: "rejected", end: { kind: "invalid", result: errorResult(decoded.message, { kind: "tool-argument-validation" }), ruling: null } };
}

// `approved`, `sandbox`, `policy`… in the arguments steer nothing; that they were tried is a ruling in the log.
function refuseClaims(gate: GateState, call: ToolCall, tool: Tool, keys: readonly string[]): CallEnd {
  const { parts } = gate;
  const named = shownKeys(keys);
  const decision = refusal(
    "unknown-argument",
    `${tool.name} has no argument called ${named}. Approval, sandbox and policy are never a call's to choose.`,
    "the same call without it",
  );
  const binding: Binding = {
    tool: tool.name,
    input: storedValue(call.input, redactFor(parts.audit)),
    cwd: parts.setting.workspace,
    env: {},
    variables: {},
    profile: profileDigest(parts.session),
    image: parts.session.imageDigest,
    policy: parts.policy.digest,
    run: parts.runId,
  };
  const ruling = rulingOf(call, decision, binding, { measured: NOTHING_MEASURED, bound: null });
  appendAudit(parts.audit, { run: parts.runId, payload: rulingRecord(ruling, binding, { measured: "session", redact: redactFor(parts.audit), labels: [] }) });
  const text = `Denied by rule unknown-argument: ${decision.reason} Send the same call without it. ${tool.name} takes: ${argumentNames(tool.schema)}.`;
  return { kind: "invalid", result: errorResult(text, { rule: "unknown-argument", keys }), ruling, refusal: refusalAsSuch(decision, tool.name) };
}

/** The canonical name of a tool, whichever of its names a model used; of no tool, what it wrote, as it may be stored. */
export function storedName({ tools, audit }: Pick<GateParts, "tools" | "audit">, { name }: ToolCall): string {
  return tools.find(name)?.name ?? storedBeginning(name, redactFor(audit), 200);
}

/** A call that ends before any policy is asked. */
export function recordRejection(gate: GateState, call: ToolCall, problem: string): void {
  const redact = redactFor(gate.parts.audit);
  const input = storedValue(call.input, redact);
  const stored = storedText(problem, redact);
  const payload = {
    kind: "call-rejected",
    call: call.id,
    tool: storedName(gate.parts, call),
    input,
    problem: typeof stored === "string" ? stored : stored.preview,
  } as const;
  appendAudit(gate.parts.audit, { run: gate.parts.runId, payload });
}

/** Top-level keys that the tool's strict schema does not know. */
function unknownKeys(tool: Tool, input: unknown): readonly string[] {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return [];
  const own: Record<string, unknown> = Object.fromEntries(Object.entries(input));
  const parsed = tool.schema.safeParse(tool.prepare ? tool.prepare(own) : own);
  if (parsed.success) return [];
  return parsed.error.issues.flatMap((issue) => (issue.code === "unrecognized_keys" && issue.path.length === 0 ? issue.keys : []));
}
