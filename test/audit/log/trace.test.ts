import { expect, test } from "vitest";
import { appendAudit, type AuditLog } from "../../../src/audit/log/log.ts";
import { readAudit } from "../../../src/audit/log/read.ts";
import { traceOf } from "../../../src/audit/log/trace.ts";
import { RULING } from "../../support/ruling-record.ts";
import { movableClock, temporaryAudit, temporaryStore } from "../../support/temporary-store.ts";

type Span = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
  readonly events: readonly { readonly name: string }[];
  readonly status: { readonly code: number; readonly message?: string };
};

const START_MS = Date.UTC(2026, 0, 2, 3, 4, 5);

/** A run with a call that was asked about, granted and done after a second, and one that was refused. */
function runLog(): AuditLog {
  const clock = movableClock(START_MS);
  const log = temporaryAudit(temporaryStore(), clock);
  const add = (payload: Parameters<typeof appendAudit>[1]["payload"]): void => void appendAudit(log, { run: "run-1", payload });
  const ruling = { ...RULING, input: { command: "x" }, risk: "medium", reason: "r" } as const;
  add({ kind: "run-start", workspace: "/srv/w", policy: "p", autonomy: "supervised", task: "t", model: "openai:gpt:mini", isScripted: false });
  add({ ...ruling, call: "call-1", ruling: "d1", verdict: "ask" });
  add({ kind: "approval-answered", call: "call-1", ruling: "d1", approval: "a1", answer: "granted", by: "ann", scope: "once", reason: "" });
  add({ kind: "permit-spent", call: "call-1", ruling: "d1", action: "a", does: "exec", target: {} });
  clock.advance(1000);
  add({ kind: "outcome", call: "call-1", ruling: "d1", outcome: "completed", exitCode: 0, durationMs: 1000, result: null });
  add({ ...ruling, call: "call-2", ruling: "d2", verdict: "deny" });
  add({ kind: "run-end", ending: "done" });
  return log;
}

function spansOf(log: AuditLog): readonly Span[] {
  const trace = traceOf("run-1", [...readAudit(log, { run: "run-1" })]) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };
  return trace.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}

const attributeOf = (span: Span | undefined, key: string): unknown => Object.values(span?.attributes.find((one) => one.key === key)?.value ?? {})[0];

test("a run is a trace: a span for it, and below it one for each call", () => {
  const [root, asked, denied, ...rest] = spansOf(runLog());
  expect(rest).toEqual([]);
  expect(root).toMatchObject({ name: "invoke_agent warder", status: { code: 1 } });
  expect(root?.traceId).toMatch(/^[0-9a-f]{32}$/u);
  expect(root?.parentSpanId).toBeUndefined();
  expect([attributeOf(root, "gen_ai.provider.name"), attributeOf(root, "gen_ai.request.model"), attributeOf(root, "gen_ai.conversation.id")]).toEqual([
    "openai",
    "gpt:mini",
    "run-1",
  ]);
  for (const span of [asked, denied]) {
    expect(span).toMatchObject({ name: "execute_tool shell", traceId: root?.traceId, parentSpanId: root?.spanId });
    expect(span?.spanId).toMatch(/^[0-9a-f]{16}$/u);
  }
  expect(BigInt(asked?.endTimeUnixNano ?? 0) - BigInt(asked?.startTimeUnixNano ?? 0)).toBe(1_000_000_000n);
  expect(asked?.startTimeUnixNano).toBe(`${START_MS}000000`);
  expect(asked?.events.map(({ name }) => name)).toEqual(["ruling", "approval-answered", "permit-spent"]);
  expect([attributeOf(asked, "warder.verdict"), attributeOf(asked, "process.exit.code"), asked?.status]).toEqual(["ask", "0", { code: 1 }]);
  expect([attributeOf(denied, "warder.verdict"), denied?.status.code]).toEqual(["deny", 2]);
});

test("a run that was killed says that its end is missing", () => {
  const clock = movableClock();
  const log = temporaryAudit(temporaryStore(), clock);
  appendAudit(log, {
    run: "run-1",
    payload: { kind: "run-start", workspace: "/w", policy: "p", autonomy: "full", task: null, model: null, isScripted: false },
  });
  expect(spansOf(log)).toMatchObject([{ status: { code: 2, message: "the log has no end of this run" } }]);
});
