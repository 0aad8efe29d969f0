/** `warder/agent`: agents, their runs, and what they can be given. */
export { createAgent, type Agent, type AgentSpec } from "../app/library/agent.ts";
export type { AgentRun, AgentRunEnd } from "../app/library/agent-run.ts";
export type { OwnModel } from "../app/models/open-models.ts";
export type { ModelEvent, ModelProvider, ModelRequest, ModelTool, Usage } from "../providers/contract/provider.ts";
export type { Message } from "../providers/contract/message.ts";
export type { Price } from "../providers/prices/price.ts";
export type { RunEnd } from "../agent/run-end.ts";
export type { CallEnd, GateEvent, RunToolCall } from "../gate/gate.ts";
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
} from "../gate/hooks/hook.ts";
export { createInbox, type Inbox } from "../agent/inbox.ts";
export type { Strategy } from "../agent/calls/schedule.ts";
export type { AgentEvent } from "../agent/events.ts";
export type { ApprovalAnswer, ApprovalCard } from "../approvals/card.ts";
export type { ApprovalChannel, ChannelEnd } from "../approvals/channel.ts";
export { callbackChannel, type AskPerson } from "../approvals/callback-channel.ts";
export {
  chooseBubblewrap as bubblewrapRuntime,
  chooseDocker as dockerRuntime,
  withReadySandboxes,
  type ChosenRuntime,
  type DockerPlace,
} from "../app/setup/runtimes.ts";
export { openRun, type SandboxedRun } from "../app/run/open.ts";
export { runTask, type AgentRunOptions, type AgentRunResult } from "../app/run/run.ts";
export { resumeRun, type ResumeEnd, type ResumeOptions } from "../app/run/resume.ts";
export type { RunSummary } from "../app/run/summary.ts";
export type { Gap, ToolGate } from "../tools/availability.ts";
export { createRegistry } from "../tools/registry.ts";
