import { TOOL_NAMES } from "../../policy/tool-names.ts";
import { renderJob } from "./job-text.ts";
import { listJobsSchema } from "../contract/input-schemas.ts";
import { defineTool } from "../contract/define.ts";

/** The background jobs of this run. */
export const listJobsTool = defineTool({
  name: "list_jobs",
  aliases: TOOL_NAMES.list_jobs,
  description: "Lists the background jobs of this run: what each runs, whether it goes on or how it ended, and how much it printed.",
  schema: listJobsSchema,
  needs: [{ kind: "jobs" }],
  traits: { tier: "read-only", timeoutMs: "policy" },
  requests: () => [],
  async execute(_input, context) {
    return renderJob(await context.handles.jobs.list(), "the jobs");
  },
});
