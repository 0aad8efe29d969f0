import { expect, test } from "vitest";
import { editCell, locateJson, type CellEdit } from "../../../src/tools/files/notebook.ts";

const CODE = ` "cells": [
  {
   "cell_type": "markdown",
   "id": "aaaa",
   "metadata": {},
   "source": [
    "# Title"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 7,
   "id": "bbbb",
   "metadata": {"odd":   1.0e0},
   "outputs": [
    {"name": "stdout", "text": ["1\\n"], "output_type": "stream"}
   ],
   "source": [
    "x = 1\\n",
    "print(x)"
   ]
  }
 ]`;
const notebook = (cells: string) => `{\n${cells},\n "metadata": {"caf\\u00e9": "\\/"},\n "nbformat": 4,\n "nbformat_minor": 5\n}\n`;
const BEFORE = notebook(CODE);
const edit = (change: Partial<CellEdit>): CellEdit => ({ mode: "replace", index: null, id: null, source: "", type: null, ...change });
const edited = (text: string, change: Partial<CellEdit>): string => {
  const made = editCell(text, edit(change));
  return made.kind === "edited" ? made.text : made.problem;
};

const cellsOf = (text: string) => (JSON.parse(text) as { cells: readonly unknown[] }).cells;

test("replaces the source of a cell, clears what it printed, and leaves every other byte", () => {
  expect(edited(BEFORE, { id: "bbbb", source: "x = 2\nprint(x)" })).toBe(
    BEFORE.replace('"x = 1\\n"', '"x = 2\\n"')
      .replace('"execution_count": 7', '"execution_count": null')
      .replace(/"outputs": \[\n.*\n {3}\]/u, '"outputs": []'),
  );
  expect(edited(BEFORE, { index: 0, source: "# Other" })).toBe(BEFORE.replace("# Title", "# Other"));
});

test("inserts a cell as Jupyter writes it", () => {
  const made = edited(BEFORE, { mode: "insert", id: "aaaa", source: "y = 1\n", type: "code" });
  const parsed = JSON.parse(made) as { cells: readonly { id: string }[] };
  expect(parsed.cells.map(({ id }) => id)).toEqual(["aaaa", expect.stringMatching(/^[0-9a-f]{8}$/u), "bbbb"]);
  expect(parsed.cells[1]).toMatchObject({ cell_type: "code", execution_count: null, outputs: [], source: ["y = 1\n"], metadata: {} });
  expect(made.replace(/ {2}\{\n {3}"cell_type": "code",\n {3}"execution_count": null[^}]*\{\}[^}]*\},\n/u, "")).toBe(BEFORE);
  for (const index of [0, 1, 2]) expect((JSON.parse(edited(BEFORE, { mode: "insert", index, source: "z" })) as typeof parsed).cells).toHaveLength(3);
  expect(JSON.parse(edited(notebook(' "cells": []'), { mode: "insert", source: "z" }))).toMatchObject({ cells: [{ source: ["z"] }] });
});

test("deletes a cell, and leaves every other byte", () => {
  expect(edited(BEFORE, { mode: "delete", index: 1 })).toBe(notebook(CODE.slice(0, CODE.indexOf(',\n  {\n   "cell_type": "code"')) + "\n ]"));
  expect(JSON.parse(edited(edited(BEFORE, { mode: "delete", index: 0 }), { mode: "delete", index: 0 }))).toMatchObject({ cells: [] });
});

test("a cell changes its type with all that belongs to it", () => {
  expect(cellsOf(edited(BEFORE, { index: 1, source: "text", type: "markdown" }))[1]).toEqual({
    cell_type: "markdown",
    id: "bbbb",
    metadata: { odd: 1 },
    source: ["text"],
  });
  expect(cellsOf(edited(BEFORE, { index: 0, source: "1", type: "code" }))[0]).toMatchObject({ cell_type: "code", outputs: [], execution_count: null });
});

test.each([
  ["no JSON", "{", {}, "no JSON"],
  ["another JSON", "[]", {}, "no notebook"],
  ["an old notebook", '{"cells": [], "nbformat": 3}', {}, "no notebook"],
  ["a cell that is not there", BEFORE, { index: 2 }, "counted from 0 to 1"],
  ["an id that is not there", BEFORE, { id: "cccc" }, "no cell with the id"],
  ["no cell named", BEFORE, {}, "say which cell"],
])("refuses %s", (...[, text, change, problem]) => {
  expect(editCell(text, edit(change))).toMatchObject({ kind: "refused", problem: expect.stringContaining(problem) });
});

test("JSON that nests too deeply is not followed", () => {
  expect(locateJson("[".repeat(100_000) + "]".repeat(100_000))).toBeNull();
  expect(editCell(`{"nbformat": 4, "cells": ${"[".repeat(5000)}${"]".repeat(5000)}}`, edit({ index: 0 }))).toMatchObject({ kind: "refused" });
});
