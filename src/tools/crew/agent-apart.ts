import { TOOL_NAMES } from "../../policy/tool-names.ts";
import { defineTool } from "../contract/define.ts";
import { agentApartSchema } from "./schemas.ts";
import { trustedError, untrustedError, untrustedText } from "../contract/result.ts";
import { changesText } from "./changes-text.ts";

/** Gives a task to a sub-agent that works in an overlay of its own over this workspace: what it changes is merged by `agent_merge`, or not at all. */
export const agentApartTool = defineTool({
  name: "agent_apart",
  aliases: TOOL_NAMES.agent_apart,
  description:
    "Gives a task to a sub-agent that works in a copy of this workspace, without a network, and returns the last that it says and what it changed there. Nothing of that is here until agent_merge takes it. Several in one turn work side by side.",
  schema: agentApartSchema,
  traits: { exclusiveSandbox: false, parallelSafe: true, timeoutMs: "run", subAgents: "own-overlay", history: { summaryArgument: "task" } },
  requests: ({ task }) => [{ kind: "delegate", task }],
  async execute({ task, tools }, context) {
    const end = await context.handles.agents.run({ task, ...(tools === undefined ? {} : { tools }) });
    if (end.kind === "not-started") return trustedError(end.reason);
    if (end.kind === "parked") return trustedError("Waiting for a person.");
    const text = `sub-agent ${end.runId}: ${end.ending}\n${end.text}\n\n${changesText(end.changes ?? [], end.runId, context)}`;
    return { ...(end.isDone ? untrustedText(text) : untrustedError(text)), childRunId: end.runId };
  },
});
