import { redactSecrets } from "../../audit/entries/redact.ts";
import { TODO_WRITE, todoCount, todoLines, todosIn } from "../../tools/contract/todo-list.ts";
import { decodeInput } from "../../tools/decode.ts";
import { createRegistry } from "../../tools/registry.ts";
import type { StoredStep } from "../run/journal.ts";

/** A run's own list: how much of it is done, and a line for each part. */
export type TodoStory = { readonly count: string; readonly lines: readonly string[] };

/** The last list that the run's conversation keeps: of a call that was answered with no error. Null: there is none. */
export function todoOf(steps: readonly StoredStep[]): TodoStory | null {
  const tools = createRegistry();
  const taken = new Set(steps.flatMap((step) => (step.kind === "result" && !step.part.isError ? [step.part.callId] : [])));
  const calls = steps.flatMap((step) => (step.kind === "message" ? step.parts : [])).filter((part) => part.kind === "tool-call");
  const last = calls.findLast(({ name, callId }) => taken.has(callId) && tools.find(name)?.name === TODO_WRITE);
  const tool = tools.find(TODO_WRITE);
  const decoded = last === undefined || tool === undefined ? null : decodeInput(tool, last.input);
  const todos = decoded?.kind === "valid" ? todosIn(decoded.input) : null;
  return todos === null ? null : { count: todoCount(todos), lines: todoLines(todos).map((line) => redactSecrets(line)) };
}
