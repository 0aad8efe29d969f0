/** Warder as a library: what an embedding program needs to decide, contain and record, by name. */
export { AgentError, type ErrorCode } from "./base/errors.ts";
export { analyseCommand } from "./shell/analyse.ts";
export type { CommandAnalysis, Effect, SimpleCommand, Word } from "./shell/model.ts";
export { decide } from "./policy/evaluate.ts";
export type { Decision, RuleVoice, Verdict } from "./policy/decision.ts";
export type { Policy } from "./policy/policy.ts";
export { loadPolicy, type LoadedPolicy } from "./config/load-policy.ts";
export { checkCall, checkCommand, type CheckParts } from "./gate/check.ts";
export type { CheckVerdict } from "./gate/verdict.ts";
export type { CallEnd, GateEvent, RunToolCall } from "./gate/gate.ts";
export type { AgentEvent } from "./agent/events.ts";
export type { ApprovalAnswer, ApprovalCard, ApprovalChannel } from "./approvals/card.ts";
export type { Tool, ToolCall, ToolResult } from "./tools/tool.ts";
export { createRegistry } from "./tools/registry.ts";
export { openRun, type SandboxedRun } from "./app/sandboxed-run.ts";
export { runTask, type AgentRunOptions, type AgentRunResult } from "./app/agent-run.ts";
export { readSurroundings, type Surroundings } from "./app/surroundings.ts";
