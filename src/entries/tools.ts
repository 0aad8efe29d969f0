/** `warder/tools`: what a tool of an embedding program is made with. */
export type { ContentPart, Handles, ImagePart, Tool, ToolCall, ToolContext, ToolRequest, ToolResult, ToolSetting } from "../tools/contract/tool.ts";
export type { HistoryPolicy, IdentityPolicy, Tier, ToolTraits } from "../tools/contract/traits.ts";
export { defineOwnTool as defineTool, type ToolSpec } from "../tools/contract/define.ts";
export { staticTools, type StaticAnswer } from "../tools/contract/static-tools.ts";
export { trustedError, untrustedError, untrustedText } from "../tools/contract/result.ts";
