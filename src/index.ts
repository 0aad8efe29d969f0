/** Warder as a library: what an embedding program needs to decide, contain and record, by name. */
export { AgentError, type ErrorCode } from "./base/errors.ts";
export { createAgent, type Agent, type AgentSpec } from "./app/library/agent.ts";
export type { AgentRun } from "./app/library/agent-run.ts";
export type { OwnModel } from "./app/models/open-models.ts";
export type { ModelEvent, ModelProvider, ModelRequest, ModelTool, Usage } from "./providers/contract/provider.ts";
export type { Message } from "./providers/contract/message.ts";
export type { Price } from "./providers/prices/price.ts";
export type { RunEnd } from "./agent/run-end.ts";
export { analyseCommand } from "./shell/analyse.ts";
export type { CommandAnalysis, Effect, SimpleCommand, Word } from "./shell/model/model.ts";
export { decide } from "./policy/deciding/evaluate.ts";
export type { Decision, RuleVoice, Verdict } from "./policy/decision.ts";
export type { Policy } from "./policy/policy.ts";
export { loadPolicy, type LoadedPolicy } from "./config/policy/load.ts";
export { checkCall, checkCommand, type CheckParts } from "./gate/check.ts";
export type { CheckVerdict } from "./gate/check-verdict.ts";
export type { CallEnd, GateEvent, RunToolCall } from "./gate/gate.ts";
export type {
  AfterVerdict,
  AskVerdict,
  BeforeVerdict,
  Hook,
  HookContext,
  HookedCall,
  HookedPrompt,
  HookedRun,
  HookedStop,
  PromptSource,
  PromptVerdict,
  StartVerdict,
  StopVerdict,
} from "./gate/hooks/hook.ts";
export { createInbox, type Inbox } from "./agent/inbox.ts";
export type { Strategy } from "./agent/calls/schedule.ts";
export type { AgentEvent } from "./agent/events.ts";
export type { ApprovalAnswer, ApprovalCard } from "./approvals/card.ts";
export type { ApprovalChannel, ChannelEnd } from "./approvals/channel.ts";
export { callbackChannel, type AskPerson } from "./approvals/callback-channel.ts";
export type { ContentPart, Handles, ImagePart, Tool, ToolCall, ToolContext, ToolRequest, ToolResult, ToolSetting } from "./tools/contract/tool.ts";
export type { HistoryPolicy, IdentityPolicy, Tier, ToolTraits } from "./tools/contract/traits.ts";
export { defineTool, type ToolSpec } from "./tools/contract/define.ts";
export { staticTools, type StaticAnswer } from "./tools/contract/static-tools.ts";
export { trustedError, untrustedError, untrustedText } from "./tools/contract/result.ts";
export { createRegistry } from "./tools/registry.ts";
export { withReadySandboxes } from "./app/setup/runtimes.ts";
export { openRun, type SandboxedRun } from "./app/run/open.ts";
export { runTask, type AgentRunOptions, type AgentRunResult } from "./app/run/run.ts";
export { resumeRun, type ResumeEnd, type ResumeOptions } from "./app/run/resume.ts";
export type { RunSummary } from "./app/run/summary.ts";
export { readContext, type WorkspaceContext } from "./app/setup/context.ts";
