import { TOOL_NAMES } from "../../policy/tool-names.ts";
import { defineTool } from "../contract/define.ts";
import { configSchema } from "../contract/input-schemas.ts";
import { otherNames } from "../contract/other-names.ts";

/** Says how the run is set up, and changes none of it. */
export const configTool = defineTool({
  name: "config",
  aliases: TOOL_NAMES.config,
  description:
    "Says how this run is set up: its model, the name of its policy and how much that leaves to you, the workspace, the turn, and what is left of each limit. It changes nothing: a person does.",
  schema: configSchema,
  traits: { exclusiveSandbox: false, parallelSafe: true, tier: "read-only" },
  prepare: otherNames({ setting: "key", name: "key" }),
  async execute({ key }, { handles }) {
    const state = await handles.run.state();
    return { content: [{ kind: "json", value: key === undefined ? state : { [key]: state[key] } }], isError: false, label: "trusted" };
  },
});
