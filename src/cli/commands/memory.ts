import { withRecords } from "../../app/records/records.ts";
import { appendAuditWith } from "../../audit/log/log.ts";
import { ownAccount } from "../../approvals/terminal/account.ts";
import { sha256 } from "../../base/digest.ts";
import { AgentError } from "../../base/errors.ts";
import { makeVisible, makeVisibleLine, visibleJson } from "../../base/text.ts";
import type { Store } from "../../store/store.ts";
import type { MemoryRow } from "../../store/rows/memories.ts";
import { EXIT } from "../process/exit-code.ts";

export type MemoryOptions = { readonly json?: boolean };

/** More than memory holds. */
const ALL = 100_000;
const MAX_BEGINNING = 60;

/** `warder memory list`. */
export function listMemory({ json = false }: MemoryOptions): number {
  return withRecords(({ store }) => {
    const rows = store.memories.list(ALL);
    if (json) process.stdout.write(`${visibleJson({ entries: rows.map(plain) })}\n`);
    else process.stdout.write(rows.length === 0 ? "Nothing is stored.\n" : rows.map((row) => `${lineOf(row)}\n`).join(""));
    return EXIT.done;
  });
}

/** `warder memory show ID`. */
export function showMemory(id: string, { json = false }: MemoryOptions): number {
  return withRecords(({ store }) => {
    const row = known(store, id);
    const { scope, place, category, run, call, atMs, text, labels } = row;
    const head = [
      `${id} (${category}, ${scope}${place === "" ? "" : ` ${makeVisibleLine(place)}`})`,
      `Stored: ${new Date(atMs).toISOString()} by ${run}, call ${makeVisibleLine(call)}`,
    ];
    process.stdout.write(json ? `${visibleJson(plain(row))}\n` : `${[...head, `Labels: ${makeVisibleLine(labels)}`, "", makeVisible(text)].join("\n")}\n`);
    return EXIT.done;
  });
}

/** `warder memory forget ID…`: all of them, or none if one is unknown. */
export function forgetMemory(ids: readonly string[]): number {
  return withRecords(({ store, audit }) => {
    const rows = [...new Set(ids)].map((id) => known(store, id));
    for (const { id, text } of rows) {
      appendAuditWith(audit, () => {
        store.memories.remove(id);
        return { run: null, payload: { kind: "memory-forgotten", call: null, memory: id, text: sha256(text), by: ownAccount() } };
      });
      process.stdout.write(`Forgotten: ${id}\n`);
    }
    return EXIT.done;
  });
}

/** `warder memory export`. */
export function exportMemory(): number {
  return withRecords(({ store }) => {
    for (const row of store.memories.list(ALL)) process.stdout.write(`${visibleJson(plain(row))}\n`);
    return EXIT.done;
  });
}

function known(store: Store, id: string): MemoryRow {
  const row = store.memories.byId(id);
  if (row !== null) return row;
  throw new AgentError("usage", `There is no entry ${makeVisibleLine(id)} in the memory.`, { remedy: "See: warder memory list" });
}

function plain({ atMs, labels, ...row }: MemoryRow): object {
  return { ...row, stored: new Date(atMs).toISOString(), labels: labelsIn(labels) };
}

// A person sees what is there, also where it is damaged.
function labelsIn(labels: string): unknown {
  try {
    return JSON.parse(labels);
  } catch (error) {
    if (error instanceof SyntaxError) return labels;
    throw error;
  }
}

function lineOf({ id, scope, place, category, run, text }: MemoryRow): string {
  const line = makeVisibleLine(text);
  const beginning = line.length <= MAX_BEGINNING ? line : `${line.slice(0, MAX_BEGINNING).toWellFormed()}…`;
  return `${id}  ${category}  ${scope}${place === "" ? "" : ` ${makeVisibleLine(place)}`}  ${run}  ${beginning}`;
}
