import { TOOL_NAMES } from "../../policy/tool-names.ts";
import { defineTool } from "../contract/define.ts";
import { memoryStoreSchema } from "../contract/input-schemas.ts";
import { trustedError, untrustedText } from "../contract/result.ts";

/** Keeps something for later runs. */
export const memoryStoreTool = defineTool({
  name: "memory_store",
  aliases: TOOL_NAMES.memory_store,
  description:
    "Keeps a text for later runs: of this workspace, of this schedule, or of this user everywhere. A person sees what you store. Never store secrets.",
  schema: memoryStoreSchema,
  traits: { exclusiveSandbox: false, tier: "workspace-write" },
  requests: () => [{ kind: "remember" }],
  async execute({ text, category = "core", scope = "workspace" }, { handles }) {
    const end = await handles.memory.store({ text, category, scope });
    return end.kind === "done" ? untrustedText(`Stored as ${end.id}.`) : trustedError(end.reason);
  },
});
