import { TOOL_NAMES } from "../../policy/tool-names.ts";
import { renderJob } from "./job-text.ts";
import { stopJobSchema } from "../contract/input-schemas.ts";
import { defineTool } from "../contract/define.ts";

/** Ends a job and everything that it started. */
export const stopJobTool = defineTool({
  name: "stop_job",
  aliases: TOOL_NAMES.stop_job,
  description: "Ends a background job with everything that it started. What it printed can still be read.",
  schema: stopJobSchema,
  needs: [{ kind: "jobs" }],
  traits: { timeoutMs: "policy" },
  requests: () => [],
  async execute(input, context) {
    return renderJob(await context.handles.jobs.stop(input.job), input.job);
  },
});
