import { TOOL_NAMES } from "../../policy/tool-names.ts";
import { defineTool } from "../contract/define.ts";
import { cronRemoveSchema } from "../contract/input-schemas.ts";
import { trustedError, untrustedText } from "../contract/result.ts";

/** Removes a job that a run proposed. */
export const cronRemoveTool = defineTool({
  name: "cron_remove",
  aliases: TOOL_NAMES.cron_remove,
  description: "Removes a job that a run in this workspace proposed, confirmed or not. One that a person added stays.",
  schema: cronRemoveSchema,
  traits: { exclusiveSandbox: false, history: { summaryArgument: "name" } },
  requests: ({ name }) => [{ kind: "schedule", name, proposal: "withdrawn" }],
  async execute({ name }, { handles }) {
    const problem = await handles.schedule.withdraw(name);
    return problem === null ? untrustedText(`Removed ${name}.`) : trustedError(problem);
  },
});
