import type { AuditRecord } from "../entries/entry.ts";

/** A call that the log leaves without an end: its process died, or is still at it. */
export type OpenCall = {
  readonly seq: number;
  readonly at: string;
  readonly run: string | null;
  readonly call: string;
  readonly tool: string;
  /** `started`: a permit was spent, so it may have happened. Otherwise nothing of it ran. */
  readonly stage: "asked" | "allowed" | "started";
  readonly what: string;
};

export type OpenCalls = { take(record: AuditRecord): void; list(): readonly OpenCall[] };

type Entry = Omit<OpenCall, "what"> & { readonly ruling: unknown };

const WHAT: Readonly<Record<OpenCall["stage"], string>> = {
  asked: "waited for a person; nothing of it ran",
  allowed: "was allowed; nothing of it had started",
  started: "was allowed and had started; no outcome is recorded, so it may have happened or not",
};

/** Follows the records in order and keeps the calls whose end is missing. */
export function openCalls(): OpenCalls {
  const open = new Map<string, Entry>();
  return {
    take: (record) => {
      follow(open, record);
    },
    list: () =>
      [...open.values()].map(({ ruling: _ruling, ...entry }) => ({
        ...entry,
        what: `the log stops here: call ${entry.call} (${entry.tool}) at ${entry.at} ${WHAT[entry.stage]}`,
      })),
  };
}

function follow(open: Map<string, Entry>, record: AuditRecord): void {
  const call = record.payload["call"];
  if (typeof call !== "string") return;
  const key = `${record.run ?? ""}\n${call}`;
  const before = open.get(key);
  if (record.kind === "ruling") {
    const verdict = record.payload["verdict"];
    if (verdict === "deny") return;
    const tool = record.payload["tool"];
    open.set(key, {
      seq: record.seq,
      at: record.at,
      run: record.run,
      call,
      tool: typeof tool === "string" ? tool : "?",
      stage: verdict === "ask" ? "asked" : "allowed",
      ruling: record.payload["ruling"],
    });
  } else if (record.kind === "approval-void" && before?.stage === "asked" && before.ruling === record.payload["bound"]) {
    // Withdrawn when the run was over: its call never came to its turn. A question that is asked anew has another ruling by then.
    open.delete(key);
  } else if (record.kind === "approval-answered" && before !== undefined) {
    if (record.payload["answer"] === "granted") open.set(key, { ...before, stage: "allowed" });
    else open.delete(key);
  } else if (record.kind === "permit-spent" && before !== undefined) {
    open.set(key, { ...before, seq: record.seq, at: record.at, stage: "started" });
  } else if (record.kind === "hook-answered") {
    // Another agent was answered, and carries it out by itself: no outcome will ever follow.
    open.delete(key);
  } else if (record.kind === "outcome" || record.kind === "call-rejected") {
    open.delete(key);
  }
}
