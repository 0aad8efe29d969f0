import { TOOL_NAMES } from "../../policy/tool-names.ts";
import { defineTool } from "../contract/define.ts";
import { cronAddSchema } from "../contract/input-schemas.ts";
import { trustedError, untrustedText } from "../contract/result.ts";

/** Proposes a job that runs by the clock. */
export const cronAddTool = defineTool({
  name: "cron_add",
  aliases: TOOL_NAMES.cron_add,
  description:
    "Proposes a job: a task that runs by the clock, unattended, in this workspace, with the policy and the model of this run. A person has to confirm it before it runs.",
  schema: cronAddSchema,
  traits: { exclusiveSandbox: false, history: { summaryArgument: "name" } },
  requests: ({ name }) => [{ kind: "schedule", name, proposal: "made" }],
  async execute({ name, cron, time_zone: timeZone = null, task }, { handles }) {
    const problem = await handles.schedule.propose({ name, cron, timeZone, task });
    return problem === null ? untrustedText(`Proposed. It runs once a person has confirmed it: warder schedule confirm ${name}`) : trustedError(problem);
  },
});
