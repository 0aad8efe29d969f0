import { TOOL_NAMES } from "../../policy/tool-names.ts";
import { defineTool } from "../contract/define.ts";
import { sleepSchema } from "../contract/input-schemas.ts";
import { trustedError } from "../contract/result.ts";

/** Waits. */
export const sleepTool = defineTool({
  name: "sleep",
  aliases: TOOL_NAMES.sleep,
  description: "Waits for some seconds, at most 600, and does nothing. For a background job, read_job waits better.",
  schema: sleepSchema,
  traits: { exclusiveSandbox: false, tier: "read-only", timeoutMs: "run" },
  async execute({ seconds }, { handles }) {
    if (!(await handles.clock.sleep(seconds * 1000))) return trustedError("Cancelled before the time was over.");
    return { content: [{ kind: "text", text: `Waited for ${String(seconds)} seconds.` }], isError: false, label: "trusted" };
  },
});
