import { sha256 } from "../../base/digest.ts";
import type { AuditRecord } from "../entries/entry.ts";

/*
 * OpenTelemetry's JSON form (OTLP, TracesData) with the attribute names of its conventions for generative AI. They are
 * experimental there, so the strings stand here instead of being imported.
 */
type Value = { readonly stringValue: string } | { readonly intValue: string } | { readonly boolValue: boolean };
type Attribute = { readonly key: string; readonly value: Value };
type SpanEvent = { readonly timeUnixNano: string; readonly name: string; readonly attributes: readonly Attribute[] };
type Span = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly events: readonly SpanEvent[];
  readonly status: { readonly code: number; readonly message?: string };
};

/** SPAN_KIND_INTERNAL, STATUS_CODE_OK and STATUS_CODE_ERROR of the protocol. */
const INTERNAL = 1;
const OK = 1;
const ERROR = 2;

/** One run as a trace: a span for the run, and below it one for each call, with rulings, approvals and permits as its events. */
export function traceOf(run: string, records: readonly AuditRecord[]): unknown {
  const traceId = sha256(`trace ${run}`).slice(0, 32);
  const rootId = sha256(`span ${run}`).slice(0, 16);
  const callsOf = Map.groupBy(records, (record) => text(record, "call"));
  const ownRecords = callsOf.get("") ?? [];
  callsOf.delete("");
  const calls = [...callsOf].map(([call, own]) => callSpan({ traceId, parentSpanId: rootId, spanId: sha256(`span ${run} ${call}`).slice(0, 16) }, call, own));
  const root = runSpan({ traceId, spanId: rootId }, run, records, ownRecords);
  return {
    resourceSpans: [
      {
        resource: { attributes: attributes({ "service.name": "warder" }) },
        scopeSpans: [{ scope: { name: "warder.audit" }, spans: [root, ...calls] }],
      },
    ],
  };
}

type Ids = Pick<Span, "traceId" | "spanId"> & { readonly parentSpanId?: string };

function runSpan(ids: Ids, run: string, all: readonly AuditRecord[], own: readonly AuditRecord[]): Span {
  const start = own.find(({ kind }) => kind === "run-start");
  const end = own.find(({ kind }) => kind === "run-end");
  const [provider = "", ...model] = start === undefined ? [] : text(start, "model").split(":");
  const ending = end === undefined ? "" : text(end, "ending");
  return {
    ...ids,
    name: "invoke_agent warder",
    kind: INTERNAL,
    ...times(all),
    attributes: attributes({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "warder",
      "gen_ai.conversation.id": run,
      "gen_ai.provider.name": provider,
      "gen_ai.request.model": model.join(":"),
      "warder.policy": start === undefined ? "" : text(start, "policy"),
      "warder.autonomy": start === undefined ? "" : text(start, "autonomy"),
      "warder.ending": ending,
    }),
    events: own.filter(({ kind }) => kind !== "run-start" && kind !== "run-end").map(eventOf),
    status:
      end === undefined ? { code: ERROR, message: "the log has no end of this run" } : ending === "done" ? { code: OK } : { code: ERROR, message: ending },
  };
}

function callSpan(ids: Ids, call: string, records: readonly AuditRecord[]): Span {
  const ruling = records.find(({ kind }) => kind === "ruling" || kind === "call-rejected");
  const outcome = records.find(({ kind }) => kind === "outcome");
  const tool = ruling === undefined ? "" : text(ruling, "tool");
  const ended = outcome === undefined ? "" : text(outcome, "outcome");
  return {
    ...ids,
    name: `execute_tool ${tool}`,
    kind: INTERNAL,
    ...times(records),
    attributes: attributes({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": tool,
      "gen_ai.tool.call.id": call,
      "gen_ai.tool.type": "function",
      "warder.verdict": ruling === undefined ? "" : ruling.kind === "ruling" ? text(ruling, "verdict") : "deny",
      "warder.risk": ruling === undefined ? "" : text(ruling, "risk"),
      "warder.reason": ruling === undefined ? "" : text(ruling, ruling.kind === "ruling" ? "reason" : "problem"),
      "warder.ruling": ruling === undefined ? "" : text(ruling, "ruling"),
      "warder.outcome": ended,
      "process.exit.code": outcome?.payload["exitCode"],
      "error.type": ended === "completed" || ended === "" ? "" : ended,
    }),
    events: records.filter(({ kind }) => kind !== "outcome").map(eventOf),
    status: ended === "completed" ? { code: OK } : { code: ERROR, message: ended === "" ? "no outcome is recorded" : ended },
  };
}

function eventOf(record: AuditRecord): SpanEvent {
  const plain = Object.fromEntries(
    Object.entries(record.payload).map(([key, value]) => [`warder.${key}`, typeof value === "object" && value !== null ? JSON.stringify(value) : value]),
  );
  return { timeUnixNano: nano(record.at), name: record.kind, attributes: attributes({ "warder.seq": record.seq, ...plain }) };
}

function times(records: readonly AuditRecord[]): Pick<Span, "startTimeUnixNano" | "endTimeUnixNano"> {
  const moments = records.map(({ at }) => at).toSorted();
  return { startTimeUnixNano: nano(moments[0]), endTimeUnixNano: nano(moments.at(-1)) };
}

function nano(at: string | undefined): string {
  return at === undefined ? "0" : `${String(Date.parse(at))}000000`;
}

/** Attributes without those that are empty: what a record does not say is not said. */
function attributes(values: Readonly<Record<string, unknown>>): readonly Attribute[] {
  return Object.entries(values).flatMap(([key, value]): Attribute[] => {
    if (typeof value === "string") return value === "" ? [] : [{ key, value: { stringValue: value } }];
    if (typeof value === "number") return [{ key, value: { intValue: String(Math.round(value)) } }];
    return typeof value === "boolean" ? [{ key, value: { boolValue: value } }] : [];
  });
}

function text(record: AuditRecord, key: string): string {
  const value = record.payload[key];
  return typeof value === "string" ? value : "";
}
