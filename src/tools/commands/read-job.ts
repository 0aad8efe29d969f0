import { TOOL_NAMES } from "../../policy/tool-names.ts";
import { renderJob } from "./job-text.ts";
import { readJobSchema } from "../contract/input-schemas.ts";
import { defineTool } from "../contract/define.ts";

/** What a job printed since the last look, and whether it goes on. */
export const readJobTool = defineTool({
  name: "read_job",
  aliases: TOOL_NAMES.read_job,
  description:
    "Returns what a background job printed since you last read it (stdout and stderr together, 64 KiB at most), and how it ended if it has. Waits for output when you say for how long.",
  schema: readJobSchema,
  needs: [{ kind: "jobs" }],
  traits: { tier: "read-only", timeoutMs: "policy" },
  requests: () => [],
  async execute(input, context) {
    return renderJob(await context.handles.jobs.read(input.job, (input.wait_seconds ?? 0) * 1000, input.from), input.job);
  },
});
