import { TOOL_NAMES } from "../../policy/tool-names.ts";
import { defineTool } from "../contract/define.ts";
import { cronListSchema } from "../contract/input-schemas.ts";
import { untrustedText } from "../contract/result.ts";
import type { ToolResult } from "../contract/tool.ts";

/** Lists the jobs of the workspace. */
export const cronListTool = defineTool({
  name: "cron_list",
  aliases: TOOL_NAMES.cron_list,
  description: "Lists the jobs that run by the clock in this workspace, with their tasks, and those that wait for a person.",
  schema: cronListSchema,
  traits: { exclusiveSandbox: false, parallelSafe: true, tier: "read-only" },
  async execute(_input, { handles }): Promise<ToolResult> {
    const found = await handles.schedule.list();
    if (found.length === 0) return untrustedText("No jobs run in this workspace.");
    const jobs = found.map(({ name, cron, timeZone, task, fromRun, heldBecause }) => ({
      name,
      cron,
      time_zone: timeZone,
      task,
      added_by: fromRun ?? "a person",
      state: heldBecause === null ? "runs" : `held: ${heldBecause}`,
    }));
    return { content: [{ kind: "json", value: { jobs } }], isError: false, label: "untrusted" };
  },
});
