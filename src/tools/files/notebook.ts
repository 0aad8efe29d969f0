import { digestOf } from "../../base/digest.ts";

export type CellEdit = {
  readonly mode: "replace" | "insert" | "delete";
  /** Counted from 0. For an insertion: before which cell; the number of cells is the end. */
  readonly index: number | null;
  readonly id: string | null;
  readonly source: string;
  readonly type: "code" | "markdown" | "raw" | null;
};

export type CellEdited =
  | { readonly kind: "edited"; readonly text: string; readonly index: number; readonly before: string; readonly after: string }
  | { readonly kind: "refused"; readonly problem: string };

type Cell = { readonly id?: unknown; readonly cell_type?: unknown; readonly source?: unknown };
type Notebook = { readonly cells?: unknown; readonly nbformat?: unknown; readonly nbformat_minor?: unknown };

/** Changes one cell; every byte that belongs to nothing of it stays. */
export function editCell(text: string, edit: CellEdit): CellEdited {
  let notebook: Notebook;
  try {
    notebook = JSON.parse(text) as Notebook;
  } catch {
    return refused("the file is no JSON, so it is no notebook");
  }
  const root = typeof notebook === "object" && notebook !== null ? locateJson(text) : null;
  const cells = root?.members?.get("cells");
  if (!Array.isArray(notebook?.cells) || cells?.items === undefined || notebook.nbformat !== 4)
    return refused("the file is no notebook of nbformat 4, with cells");
  const given = notebook.cells as readonly Cell[];
  const index = placeOf(given, edit);
  if (typeof index === "string") return refused(index);
  const node = cells.items[index];
  const before = sourceOf(given[index]);
  if (edit.mode === "insert")
    return { kind: "edited", text: inserted(text, cells, index, newCell(notebook, given, edit)), index, before: "", after: edit.source };
  if (node === undefined) return refused("there is no such cell");
  if (edit.mode === "delete") return { kind: "edited", text: removed(text, cells, index), index, before, after: "" };
  return { kind: "edited", text: replaced(text, node, given[index] ?? {}, edit), index, before, after: edit.source };
}

function refused(problem: string): CellEdited {
  return { kind: "refused", problem };
}

function placeOf(cells: readonly Cell[], { mode, index, id }: CellEdit): number | string {
  const named = id === null ? -1 : cells.findIndex((cell) => cell.id === id);
  if (id !== null && named < 0) return `there is no cell with the id ${id}; cells are counted from 0 to ${cells.length - 1}`;
  // A new cell stands behind the one that is named by its id.
  if (id !== null) return mode === "insert" ? named + 1 : named;
  if (index === null) return mode === "insert" ? cells.length : "say which cell, by cell_number or cell_id";
  const last = mode === "insert" ? cells.length : cells.length - 1;
  return index <= last ? index : `there is no cell ${index}; cells are counted from 0 to ${cells.length - 1}`;
}

function sourceOf(cell: Cell | undefined): string {
  const { source } = cell ?? {};
  return Array.isArray(source) ? source.join("") : typeof source === "string" ? source : "";
}

/** Lines as Jupyter writes them: each with its ending, the last without. */
function linesOf(source: string): readonly string[] {
  return source === "" ? [] : source.split(/(?<=\n)/u);
}

function replaced(text: string, node: JsonNode, cell: Cell, edit: CellEdit): string {
  const type = edit.type ?? cell.cell_type;
  const changes: { readonly node: JsonNode; readonly value: unknown }[] = [];
  const change = (name: string, value: unknown): void => {
    const member = node.members?.get(name);
    if (member !== undefined && JSON.stringify(JSON.parse(text.slice(member.from, member.until))) !== JSON.stringify(value))
      changes.push({ node: member, value });
  };
  change("source", Array.isArray(cell.source) ? linesOf(edit.source) : edit.source);
  change("cell_type", type);
  // What the old code printed is not what the new code prints.
  change("execution_count", null);
  change("outputs", []);
  let made = text;
  for (const { node: at, value } of changes.toSorted((left, right) => right.node.from - left.node.from))
    made = made.slice(0, at.from) + render(value, text, at.from) + made.slice(at.until);
  return type === cell.cell_type ? made : withTypeOf(made, node.from, type === "code");
}

/** A cell of code has outputs and a count; no other has. */
function withTypeOf(text: string, from: number, isCode: boolean): string {
  const end = locateJson(text.slice(from));
  if (end === null) return text;
  const cell = JSON.parse(text.slice(from, from + end.until)) as Record<string, unknown>;
  const { outputs = [], execution_count: count = null, ...rest } = cell;
  return text.slice(0, from) + render(isCode ? sorted({ ...rest, outputs, execution_count: count }) : rest, text, from) + text.slice(from + end.until);
}

function sorted(cell: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(cell).toSorted(([left], [right]) => (left < right ? -1 : 1)));
}

function newCell(notebook: Notebook, cells: readonly Cell[], { source, type, index }: CellEdit): Record<string, unknown> {
  const isCode = (type ?? "code") === "code";
  const hasIds = typeof notebook.nbformat_minor === "number" && notebook.nbformat_minor >= 5;
  const taken = new Set(cells.map(({ id }) => id));
  let id = "";
  for (let round = 0; id === "" || taken.has(id); round += 1) id = digestOf({ source, index, round }).replace(/^.*:/u, "").slice(0, 8);
  return sorted({
    cell_type: type ?? "code",
    metadata: {},
    source: linesOf(source),
    ...(hasIds ? { id } : {}),
    ...(isCode ? { execution_count: null, outputs: [] } : {}),
  });
}

/** A value as JSON, indented as the text is at the place where it will stand. */
function render(value: unknown, text: string, at: number): string {
  const unit = /\n([ \t]+)"/u.exec(text)?.[1] ?? "";
  if (unit === "") return JSON.stringify(value);
  const own = /^[ \t]*/u.exec(text.slice(text.lastIndexOf("\n", at - 1) + 1, at))?.[0] ?? "";
  const ending = text.includes("\r\n") ? "\r\n" : "\n";
  return JSON.stringify(value, null, unit).replaceAll("\n", `${ending}${own}`);
}

function inserted(text: string, cells: JsonNode, index: number, cell: Record<string, unknown>): string {
  const items = cells.items ?? [];
  const before = items[index - 1];
  const next = items[index];
  if (before !== undefined) {
    const gap = text.slice(before.until, next?.from ?? before.until);
    const space =
      next === undefined ? text.slice(items.length > 1 ? (items[index - 2]?.until ?? cells.from) + 1 : cells.from + 1, before.from) : gap.replace(/^\s*,/u, "");
    return `${text.slice(0, before.until)},${space}${render(cell, text, before.from)}${text.slice(before.until)}`;
  }
  if (next !== undefined) {
    const space = text.slice(cells.from + 1, next.from);
    return `${text.slice(0, next.from)}${render(cell, text, next.from)},${space}${text.slice(next.from)}`;
  }
  return `${text.slice(0, cells.from)}[${render(cell, text, cells.from)}]${text.slice(cells.until)}`;
}

function removed(text: string, cells: JsonNode, index: number): string {
  const items = cells.items ?? [];
  const [before, gone, next] = [items[index - 1], items[index], items[index + 1]];
  if (gone === undefined) return text;
  if (next !== undefined) return text.slice(0, gone.from) + text.slice(next.from);
  if (before !== undefined) return text.slice(0, before.until) + text.slice(gone.until);
  return `${text.slice(0, cells.from)}[]${text.slice(cells.until)}`;
}

type Span = { readonly from: number; readonly until: number };
/** A value of a JSON text: where it stands. */
export type JsonNode = Span & { readonly items?: readonly JsonNode[]; readonly members?: ReadonlyMap<string, JsonNode> };

const MAX_DEPTH = 200;

/** Where each value of a JSON text stands, so that one can be replaced and all others keep their bytes. The text must be valid JSON; null when it nests too deeply. */
export function locateJson(text: string): JsonNode | null {
  const at = { index: 0 };
  try {
    return readValue(text, at, 0);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

type At = { index: number };

function skipSpace(text: string, at: At): void {
  while (" \t\r\n".includes(text.charAt(at.index)) && at.index < text.length) at.index += 1;
}

function readValue(text: string, at: At, depth: number): JsonNode {
  if (depth > MAX_DEPTH) throw new RangeError("too deep");
  skipSpace(text, at);
  const from = at.index;
  const first = text.charAt(from);
  if (first === '"') endString(text, at);
  else if (first === "[" || first === "{") return first === "[" ? readItems(text, at, depth) : readMembers(text, at, depth);
  else while (at.index < text.length && !" \t\r\n,]}".includes(text.charAt(at.index))) at.index += 1;
  return { from, until: at.index };
}

/** Moves behind the string that begins here. */
function endString(text: string, at: At): void {
  for (at.index += 1; text.charAt(at.index) !== '"' && at.index < text.length; at.index += 1) if (text.charAt(at.index) === "\\") at.index += 1;
  at.index += 1;
}

function readItems(text: string, at: At, depth: number): JsonNode {
  const from = at.index;
  const items: JsonNode[] = [];
  at.index += 1;
  for (skipSpace(text, at); text.charAt(at.index) !== "]" && at.index < text.length; skipSpace(text, at)) {
    items.push(readValue(text, at, depth + 1));
    skipSpace(text, at);
    if (text.charAt(at.index) === ",") at.index += 1;
  }
  at.index += 1;
  return { from, until: at.index, items };
}

function readMembers(text: string, at: At, depth: number): JsonNode {
  const from = at.index;
  const members = new Map<string, JsonNode>();
  at.index += 1;
  for (skipSpace(text, at); text.charAt(at.index) !== "}" && at.index < text.length; skipSpace(text, at)) {
    const begin = at.index;
    endString(text, at);
    const name = JSON.parse(text.slice(begin, at.index)) as string;
    skipSpace(text, at);
    at.index += 1;
    members.set(name, readValue(text, at, depth + 1));
    skipSpace(text, at);
    if (text.charAt(at.index) === ",") at.index += 1;
  }
  at.index += 1;
  return { from, until: at.index, members };
}
