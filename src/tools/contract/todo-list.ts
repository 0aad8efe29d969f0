import { makeVisibleLine } from "../../base/text.ts";

/** What a run still has to do, as its model says. */
export type Todo = { readonly content: string; readonly status: "pending" | "in_progress" | "completed" };

export const TODO_WRITE = "todo_write";
export const TODO_STATUSES = ["pending", "in_progress", "completed"] as const;
export const MAX_TODOS = 50;
export const MAX_TODO_CHARACTERS = 300;

/** The list that a call of `todo_write` gives, whoever recorded it; null: it gives none. */
export function todosIn(input: unknown): readonly Todo[] | null {
  const { todos } = (typeof input === "object" && input !== null ? input : {}) as { readonly todos?: unknown };
  if (!Array.isArray(todos) || todos.length > MAX_TODOS) return null;
  const list = todos.filter(isTodo);
  return list.length === todos.length ? list : null;
}

function isTodo(value: unknown): value is Todo {
  const { content, status } = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  return typeof content === "string" && content.length <= MAX_TODO_CHARACTERS && TODO_STATUSES.some((known) => known === status);
}

const MARKS: Readonly<Record<Todo["status"], string>> = { pending: "[ ]", in_progress: "[>]", completed: "[x]" };

/** A line for each, as a person is shown it: no character of a model's reaches a terminal unseen. */
export function todoLines(todos: readonly Todo[]): readonly string[] {
  return todos.map(({ content, status }) => `${MARKS[status]} ${makeVisibleLine(content)}`);
}

/** `2 of 5 done` */
export function todoCount(todos: readonly Todo[]): string {
  return `${String(todos.filter(({ status }) => status === "completed").length)} of ${String(todos.length)} done`;
}
