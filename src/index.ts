/** Warder as a library: what an embedding program needs to decide, contain and record, by name. `library.ts` loads it bit by bit. */
export { AgentError, type ErrorCode } from "./base/errors.ts";
export * from "./entries/agent.ts";
export * from "./entries/policy.ts";
export * from "./entries/tools.ts";
