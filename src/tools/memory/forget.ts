import { TOOL_NAMES } from "../../policy/tool-names.ts";
import { defineTool } from "../contract/define.ts";
import { memoryForgetSchema } from "../contract/input-schemas.ts";
import { trustedError, untrustedText } from "../contract/result.ts";

/** Deletes an entry of the memory. */
export const memoryForgetTool = defineTool({
  name: "memory_forget",
  aliases: TOOL_NAMES.memory_forget,
  description: "Deletes an entry that memory_recall showed.",
  schema: memoryForgetSchema,
  traits: { exclusiveSandbox: false, tier: "workspace-write" },
  requests: () => [{ kind: "remember" }],
  async execute({ id }, { handles }) {
    const end = await handles.memory.forget(id);
    return end.kind === "done" ? untrustedText(`Forgotten: ${end.id}.`) : trustedError(end.reason);
  },
});
