import { TOOL_NAMES } from "../../policy/tool-names.ts";
import { renderJob } from "./job-text.ts";
import { locate } from "../contract/location.ts";
import { startJobSchema } from "../contract/input-schemas.ts";
import { shellRequest } from "../contract/command.ts";
import { defineTool } from "../contract/define.ts";

/** Runs one bash command in the background. It is judged exactly as the same command in the shell. */
export const startJobTool = defineTool({
  name: "start_job",
  aliases: TOOL_NAMES.start_job,
  description:
    "Starts one bash command in the background, in a sandbox of its own on the same workspace, and returns its id. It goes on between your calls (while one of them is carried out it stands still) until it ends, stop_job ends it, or the run does. It has its own /tmp and its own loopback: nothing but the workspace is shared with other commands. For a command whose result you need at once use shell.",
  schema: startJobSchema,
  needs: [{ kind: "jobs" }],
  traits: { timeoutMs: "policy" },
  requests: (input, setting) => [shellRequest(input.command, input.working_dir ?? ".", setting)],
  async execute(input, context) {
    return renderJob(await context.handles.jobs.start(input.command, locate(input.working_dir ?? ".", context)), "the job");
  },
});
