import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import type { ClientRun } from "../../app/run/client-run.ts";
import { visibleJson } from "../../base/text.ts";
import { refusedAnswer } from "./answer.ts";

/** The one tool that is not Warder's for models: it runs nothing. */
export const VERDICT: Tool = {
  name: "verdict",
  description:
    "Says what the policy would decide about a call, and why. Nothing runs. `here`: a call of this server's tool of that name. `elsewhere`: the same done by you, outside this server's sandbox.",
  inputSchema: {
    type: "object",
    properties: {
      tool: { type: "string", description: "the tool's name, for example shell" },
      input: { type: "object", description: 'its arguments, for example {"command": "git push"}' },
    },
    required: ["tool", "input"],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
};

export async function answerVerdict(run: ClientRun, input: Readonly<Record<string, unknown>>): Promise<CallToolResult> {
  const { tool, input: asked, ...rest } = input;
  if (typeof tool !== "string" || typeof asked !== "object" || asked === null || Array.isArray(asked) || Object.keys(rest).length > 0)
    return refusedAnswer('verdict takes "tool", a name, and "input", an object with its arguments, and nothing else.');
  const { here, elsewhere } = await run.verdictOn({ name: tool, input: asked });
  return { content: [{ type: "text", text: visibleJson({ here, elsewhere }, 2) }], structuredContent: { here, elsewhere } };
}
