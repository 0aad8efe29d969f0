import { TOOL_NAMES } from "../../policy/tool-names.ts";
import { defineTool } from "../contract/define.ts";
import { todoWriteSchema } from "../contract/input-schemas.ts";
import { otherNames } from "../contract/other-names.ts";
import { TODO_WRITE, todoCount } from "../contract/todo-list.ts";

const itemNames = otherNames({ step: "content", description: "content", title: "content", text: "content", task: "content" }, [
  "activeForm",
  "id",
  "priority",
  "explanation",
]);
const listNames = otherNames({ plan: "todos", items: "todos", todoList: "todos", todo_list: "todos", tasks: "todos" });
const STATUSES: ReadonlyMap<unknown, string> = new Map([
  ["todo", "pending"],
  ["not-started", "pending"],
  ["in-progress", "in_progress"],
  ["done", "completed"],
]);

/** Keeps the run's own list of what is to be done. It lies in the conversation and the log; it allows nothing and changes nothing. */
export const todoWriteTool = defineTool({
  name: TODO_WRITE,
  aliases: TOOL_NAMES.todo_write,
  description:
    "Keeps your list of what this task still needs, which a person sees. Give the whole list each time. It is kept when a long conversation is summed up. It allows nothing.",
  schema: todoWriteSchema,
  traits: {
    exclusiveSandbox: false,
    parallelSafe: true,
    countsTowardTermination: false,
    tier: "read-only",
    history: { pinsActivePlan: true, planArgument: "todos" },
  },
  prepare: (input) => {
    const { todos, ...rest } = listNames(input);
    return { ...rest, ...(todos === undefined ? {} : { todos: Array.isArray(todos) ? todos.map(itemOf) : todos }) };
  },
  validate: ({ todos }) => (todos.some(({ content }) => /[\r\n\u2028\u2029]/u.test(content)) ? "each content is one line" : null),
  execute({ todos }, { progress, update }) {
    const now = todos.find(({ status }) => status === "in_progress");
    const count = todoCount(todos);
    update({ todos });
    progress(now === undefined ? count : `${count}, now: ${now.content}`);
    // The words are the model's own, so none of them stands in a result, where they would pass for Warder's.
    return { content: [{ kind: "text", text: `The list is kept: ${count}.` }], isError: false, label: "trusted" };
  },
});

function itemOf(item: unknown): unknown {
  if (typeof item === "string") return { content: item, status: "pending" };
  if (typeof item !== "object" || item === null || Array.isArray(item)) return item;
  const { status, ...rest } = itemNames({ ...item });
  return { ...rest, ...(status === undefined ? {} : { status: STATUSES.get(status) ?? status }) };
}
