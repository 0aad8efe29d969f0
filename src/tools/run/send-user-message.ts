import { TOOL_NAMES } from "../../policy/tool-names.ts";
import { defineTool } from "../contract/define.ts";
import { sendUserMessageSchema } from "../contract/input-schemas.ts";
import { trustedError } from "../contract/result.ts";

/** Tells the person something, now. */
export const sendUserMessageTool = defineTool({
  name: "send_user_message",
  aliases: TOOL_NAMES.send_user_message,
  description: "Tells the person something at once, while you go on: they see it now, or in the summary of the run. Nobody answers it.",
  schema: sendUserMessageSchema,
  traits: { exclusiveSandbox: false, tier: "read-only", history: { summaryArgument: "text" } },
  requests: () => [{ kind: "message" }],
  async execute({ text }, { handles }) {
    const problem = await handles.person.tell(text);
    return problem === null ? { content: [{ kind: "text", text: "Sent." }], isError: false, label: "trusted" } : trustedError(problem);
  },
});
