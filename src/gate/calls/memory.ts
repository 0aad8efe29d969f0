import { redactTokens } from "../../audit/entries/redact.ts";
import { appendAuditWith } from "../../audit/log/log.ts";
import { sha256 } from "../../base/digest.ts";
import { newId } from "../../base/ids.ts";
import { type Label, labelOf, readLabels } from "../../policy/label.ts";
import type { MemoryPlace, MemoryRow, MemoryScope } from "../../store/rows/memories.ts";
import type { MemoryHandle, MemoryQuery } from "../../tools/contract/tool.ts";
import type { RuledCall } from "../ruling/ruled-call.ts";
import { permitOwnWork } from "./perform-action.ts";
import type { Progress } from "./progress.ts";

/** Of one entry, of one scope, of all; in bytes of text. */
const MAX_ENTRY_BYTES = 4096;
const MAX_SCOPE = { entries: 500, bytes: 256 * 1024 };
const MAX_TOTAL = { entries: 5000, bytes: 4 * 1024 * 1024 };
const MAX_WORDS = 32;
/** So many of the best matches are weighed by their age. */
const MAX_WEIGHED = 100;
/** After this time an entry that matches as well counts three quarters, in the end half. */
const HALF_LIFE_MS = 30 * 86_400_000;

/** An agent's memory over runs: of this workspace, of this job, of this user. What changes it was ruled on, and is in the log; what comes back is data. */
export function memoryHandle(call: RuledCall, progress: Progress): MemoryHandle {
  const { parts, labels } = call.gate;
  const { store, audit, clock, runId } = parts;
  const wants = call.wanted.some(({ kind }) => kind === "remember");
  const permitted = async (does: "remember" | "forget", target: Readonly<Record<string, unknown>>): Promise<string | null> => {
    if (progress.isOver) return "the call has ended";
    if (!wants) return "the call did not ask for memory";
    return (await permitOwnWork(call, progress, does, target)) ? null : (progress.voided ?? "it was stopped");
  };
  return {
    store: async ({ text: said, category, scope }) => {
      const place = placeOf(call, scope);
      if (place === null) return { kind: "refused", reason: "This run is of no schedule, so it has no memory of that scope. Use workspace." };
      const text = redactTokens(parts.session.redact(said.toWellFormed()));
      const full = fullAt(call, place, Buffer.byteLength(text));
      if (full !== null) return { kind: "refused", reason: full };
      const row: MemoryRow = {
        ...place,
        id: newId("memory"),
        category,
        text,
        labels: JSON.stringify(labels.all()),
        run: runId,
        call: call.ruling.callId,
        atMs: clock.nowMs(),
      };
      const refused = await permitted("remember", { memory: row.id });
      if (refused !== null) return { kind: "refused", reason: `Not stored: ${refused}.` };
      return kept(progress, () => {
        appendAuditWith(audit, () => {
          store.memories.add(row);
          const { id, call: by } = row;
          return {
            run: runId,
            payload: {
              kind: "memory-stored",
              call: by,
              ruling: call.ruling.digest,
              memory: id,
              scope,
              category,
              text: sha256(text),
              bytes: Buffer.byteLength(text),
            },
          };
        });
        return { kind: "done", id: row.id };
      });
    },
    recall: (query) => {
      const found = progress.isOver ? [] : recalled(call, query);
      const entries = found.map((row) => ({ ...row, labels: labelsOf(row) }));
      progress.labels.push(...entries.flatMap((entry) => entry.labels));
      return Promise.resolve(entries.map(({ id, scope, category, text, run, atMs, labels: of }) => ({ id, scope, category, text, run, atMs, labels: of })));
    },
    forget: async (id) => {
      const row = store.memories.byId(id);
      if (row === null || placeOf(call, row.scope)?.place !== row.place)
        return { kind: "refused", reason: "There is no such entry in the memory of this run." };
      const refused = await permitted("forget", { memory: id });
      if (refused !== null) return { kind: "refused", reason: `Not forgotten: ${refused}.` };
      return kept(progress, () => {
        appendAuditWith(audit, () => {
          store.memories.remove(id);
          return { run: runId, payload: { kind: "memory-forgotten", call: call.ruling.callId, memory: id, text: sha256(row.text), by: runId } };
        });
        return { kind: "done", id };
      });
    },
  };
}

type Changed = Awaited<ReturnType<MemoryHandle["forget"]>>;

// What cannot be recorded has not happened, and ends the run as any such fault does.
function kept(progress: Progress, change: () => Changed): Changed {
  try {
    return change();
  } catch (error) {
    progress.fault ??= error;
    return { kind: "refused", reason: "It could not be recorded." };
  }
}

/** Null: the run has none of this scope. */
function placeOf({ gate: { parts } }: RuledCall, scope: MemoryScope): MemoryPlace | null {
  if (scope === "workspace") return { scope, place: parts.setting.workspace };
  if (scope === "user") return { scope, place: "" };
  return typeof parts.job === "string" ? { scope, place: parts.job } : null;
}

function fullAt({ gate: { parts } }: RuledCall, place: MemoryPlace, bytes: number): string | null {
  if (bytes > MAX_ENTRY_BYTES)
    return `An entry has at most ${String(MAX_ENTRY_BYTES)} bytes of text, not ${String(bytes)}. Store less of it, or several entries.`;
  const { memories } = parts.store;
  const [of, all] = [memories.size(place), memories.size()];
  if (of.entries >= MAX_SCOPE.entries || of.bytes + bytes > MAX_SCOPE.bytes)
    return `The memory of this ${place.scope} is full (${String(of.entries)} entries, ${String(of.bytes)} bytes). Forget what is of no use with memory_forget.`;
  if (all.entries >= MAX_TOTAL.entries || all.bytes + bytes > MAX_TOTAL.bytes)
    return "The memory of this machine is full. A person can look at it with `warder memory list`, and make room with `warder memory forget`.";
  return null;
}

/** The best by words and age; without words the newest. */
function recalled(call: RuledCall, { words, scope, category, limit }: MemoryQuery): readonly MemoryRow[] {
  const { store, clock } = call.gate.parts;
  const scopes: readonly MemoryScope[] = scope === undefined ? ["workspace", "schedule", "user"] : [scope];
  const places = scopes.map((each) => placeOf(call, each)).filter((place) => place !== null);
  const query = queryOf(words);
  const weight = (atMs: number): number => 0.5 + 0.5 * 2 ** (-Math.max(0, clock.nowMs() - atMs) / HALF_LIFE_MS);
  const found: readonly (MemoryRow & { readonly score: number })[] = places.flatMap((place) =>
    query === null
      ? store.memories.newest(place, MAX_WEIGHED).map((row) => ({ ...row, score: row.atMs }))
      : store.memories.search(place, query, MAX_WEIGHED).map((row) => ({ ...row, score: -row.rank * weight(row.atMs) })),
  );
  return found
    .filter((row) => category === undefined || row.category === category)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, limit);
}

/** Each word by itself, in quotes: nothing of a model's words is FTS5's own language. */
function queryOf(words: string): string | null {
  const found = words.match(/[\p{L}\p{N}_]+/gu) ?? [];
  return found.length === 0
    ? null
    : found
        .slice(0, MAX_WORDS)
        .map((word) => `"${word}"`)
        .join(" OR ");
}

/** What it was made of, and that it is a memory: whoever wrote it, it is nobody's order. What cannot be read of it counts as both. */
function labelsOf({ id, labels, run, call }: MemoryRow): readonly Label[] {
  const own = labelOf({ trust: "untrusted", isSensitive: false, source: `memory ${id}`, call, run });
  return [own, ...(parsed(labels) ?? [{ ...own, isSensitive: true, source: `memory ${id}, whose labels cannot be read` }])];
}

function parsed(labels: string): readonly Label[] | null {
  try {
    return readLabels(JSON.parse(labels));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
