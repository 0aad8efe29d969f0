/** `warder/policy`: policies, and verdicts without a run. */
export { analyseCommand } from "../shell/analyse.ts";
export type { CommandAnalysis, Effect, SimpleCommand, Word } from "../shell/model/model.ts";
export { decide } from "../policy/deciding/evaluate.ts";
export type { Decision, RuleVoice, Verdict } from "../policy/decision.ts";
export type { Policy } from "../policy/policy.ts";
export { loadPolicy, type LoadedPolicy, type LoadPolicyOptions } from "../config/policy/load.ts";
export { checkCall, checkCommand, type CheckParts } from "../gate/check.ts";
export type { CheckVerdict } from "../gate/check-verdict.ts";
export { readContext, type WorkspaceContext } from "../app/setup/context.ts";
