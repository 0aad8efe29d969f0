import { TOOL_NAMES } from "../../policy/tool-names.ts";
import { defineTool } from "../contract/define.ts";
import { agentSchema } from "./schemas.ts";
import { trustedError, untrustedError, untrustedText } from "../contract/result.ts";

/** Gives a task to a sub-agent and waits for its end. */
export const agentTool = defineTool({
  name: "agent",
  aliases: TOOL_NAMES.agent,
  description:
    "Gives a task to a sub-agent with an empty conversation, in this workspace, and returns the last that it says. Its calls are decided as yours are, and count as yours.",
  schema: agentSchema,
  traits: { exclusiveSandbox: false, parallelSafe: true, timeoutMs: "run", history: { summaryArgument: "task" } },
  requests: ({ task }) => [{ kind: "delegate", task }],
  async execute({ task, tools, read_only: isReadOnly = false }, { handles }) {
    const end = await handles.agents.run({ task, isReadOnly, ...(tools === undefined ? {} : { tools }) });
    if (end.kind === "not-started") return trustedError(end.reason);
    if (end.kind === "parked") return trustedError("Waiting for a person.");
    const text = `sub-agent ${end.runId}: ${end.ending}\n${end.text}`;
    return { ...(end.isDone ? untrustedText(text) : untrustedError(text)), childRunId: end.runId };
  },
});
