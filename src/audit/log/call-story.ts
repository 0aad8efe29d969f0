import type { AuditLog } from "./log.ts";
import { readAudit } from "./read.ts";
import type { AuditRecord } from "../entries/entry.ts";

/** Everything that the log has about one call: its own records in order, and those of its run that belong to it. */
export type CallStory = {
  readonly call: string;
  readonly run: string | null;
  readonly records: readonly AuditRecord[];
  /** The policy that its run had then, as it was loaded. */
  readonly policy: AuditRecord | null;
  /** The sandbox that was open when it ran. */
  readonly sandbox: AuditRecord | null;
  /** Connections of its run between its first action and its outcome: the proxy does not know which call a connection is of. */
  readonly connections: readonly AuditRecord[];
};

/** The stories of a call, the newest last; none if the log has no such call. Each run that used the identifier has its own story. */
export function callStories(log: AuditLog, call: string): readonly CallStory[] {
  const runs = Map.groupBy(readAudit(log, { call }), ({ run }) => run);
  return [...runs].map(([run, records]) => storyOf(log, run, { call, records }));
}

function storyOf(log: AuditLog, run: string | null, { call, records }: { readonly call: string; readonly records: readonly AuditRecord[] }): CallStory {
  const all = run === null ? [] : [...readAudit(log, { run })];
  const questions = new Set(records.map(({ payload }) => payload["approval"]).filter((approval) => typeof approval === "string"));
  const isAboutIt = ({ payload }: AuditRecord): boolean => payload["call"] === call || questions.has(String(payload["approval"]));
  const first = records[0]?.seq ?? 0;
  const began = records.find(({ kind }) => kind === "permit-spent")?.seq;
  const ended = records.findLast(({ kind }) => kind === "outcome")?.seq ?? Number.POSITIVE_INFINITY;
  const before = (kind: AuditRecord["kind"], seq: number): AuditRecord | null => all.findLast((record) => record.kind === kind && record.seq < seq) ?? null;
  return {
    call,
    run,
    records: run === null ? records : all.filter(isAboutIt),
    policy: before("policy-loaded", first),
    sandbox: before("sandbox-opened", began ?? first),
    connections: began === undefined ? [] : all.filter(({ kind, seq }) => (kind === "connection" || kind === "credential-used") && seq > began && seq < ended),
  };
}
