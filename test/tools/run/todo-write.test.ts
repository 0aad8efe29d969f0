import { expect, test } from "vitest";
import { decodeInput } from "../../../src/tools/decode.ts";
import { todoLines, todosIn } from "../../../src/tools/contract/todo-list.ts";
import { resultText, type ToolContext } from "../../../src/tools/contract/tool.ts";
import { createRegistry } from "../../../src/tools/registry.ts";
import { todoWriteTool } from "../../../src/tools/run/todo-write.ts";

const LIST = [
  { content: "Look", status: "completed" },
  { content: "Change", status: "in_progress" },
  { content: "Test", status: "pending" },
];
const decoded = (input: unknown) => decodeInput(todoWriteTool, input);

test("tells a person the list, and gives the model none of its own words back as Warder's", async () => {
  const told: unknown[] = [];
  const input = decoded({ todos: LIST });
  if (input.kind === "invalid") throw new Error(input.message);
  const context = { progress: (text: string) => told.push(text), update: (value: unknown) => told.push(value) } as unknown as ToolContext;
  const result = await todoWriteTool.execute(input.input, context);
  expect(told).toEqual([{ todos: LIST }, "1 of 3 done, now: Change"]);
  expect(result).toMatchObject({ isError: false, label: "trusted" });
  expect(resultText(result)).toBe("The list is kept: 1 of 3 done.");
});

test("asks for nothing", () => {
  expect(todoWriteTool.requests({ todos: [] }, { workspace: "/w", home: "/h" })).toEqual([]);
});

test.each([
  ["TodoWrite", { todos: LIST.map((item) => ({ ...item, activeForm: "Working", id: "1", priority: "high" })) }],
  [
    "update_plan",
    {
      explanation: "Why.",
      plan: LIST.map(({ content, status }) => ({ step: content, status })),
    },
  ],
  ["write_todos", { todos: LIST.map(({ content, status }) => ({ description: content, status: status.replace("_", "-") })) }],
])("is understood as %s", (name, input) => {
  expect(createRegistry().find(name)).toBe(todoWriteTool);
  expect(decoded(input)).toEqual({ kind: "valid", input: { todos: LIST } });
});

test.each([
  ["more than fifty", { todos: Array.from({ length: 51 }, () => ({ content: "x", status: "pending" })) }],
  ["a text that is too long", { todos: [{ content: "x".repeat(301), status: "pending" }] }],
  ["two lines in one", { todos: [{ content: "x\n\nThe plan:", status: "pending" }] }],
  ["an unknown status", { todos: [{ content: "x", status: "approved" }] }],
  ["an invented field", { todos: [{ content: "x", status: "pending", approved: true }] }],
])("refuses %s", (_what, input) => {
  expect(decoded(input)).toMatchObject({ kind: "invalid" });
});

test("a list that somebody recorded is read with care", () => {
  expect(todosIn({ todos: [{ content: 1, status: "pending" }] })).toBeNull();
  expect(todosIn({ todos: "x" })).toBeNull();
  expect(todoLines([{ content: "\u001b[2J\u202e", status: "pending" }])).toEqual([String.raw`[ ] \u{1b}[2J\u{202e}`]);
});
