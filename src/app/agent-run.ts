import { runAgent } from "../agent/loop.ts";
import type { AgentEvent } from "../agent/events.ts";
import type { RunEnd } from "../agent/run-end.ts";
import { systemPrompt } from "../agent/system-prompt.ts";
import { systemClock } from "../base/clock.ts";
import { AgentError } from "../base/errors.ts";
import { parseModelName, selectModel } from "../providers/select-model.ts";
import type { ModelProvider } from "../providers/provider.ts";
import { readScriptFile } from "../config/script-file.ts";
import { openRun, type SandboxedRun } from "./sandboxed-run.ts";
import type { Surroundings } from "./surroundings.ts";

export type AgentRunOptions = {
  readonly task: string;
  readonly model: string;
  readonly isUnattended: boolean;
  readonly signal: AbortSignal;
  readonly emit: (event: AgentEvent) => void;
};

export type AgentRunResult = { readonly runId: string; readonly end: RunEnd; readonly changes: number | null };

/** One task from prompt to end: model, sandbox, gate, loop. Whatever happens, the sandbox is closed and the end recorded. */
export async function runTask(surroundings: Surroundings, options: AgentRunOptions): Promise<AgentRunResult> {
  const name = parseModelName(options.model);
  const provider = await selectModel(name, { env: process.env, readScript: readScriptFile });
  try {
    const run = await openRun(surroundings, { task: options.task, model: options.model, isScripted: provider.isScripted, canAsk: !options.isUnattended });
    return await driveRun(run, surroundings, { ...options, provider });
  } finally {
    await provider.close();
  }
}

async function driveRun(run: SandboxedRun, surroundings: Surroundings, options: AgentRunOptions & { readonly provider: ModelProvider }): Promise<AgentRunResult> {
  const { policy, workspace } = surroundings;
  try {
    const { end } = await runAgent({
      runId: run.id,
      task: options.task,
      workspace,
      provider: options.provider,
      systemPrompt: systemPrompt({ workspace, policy: policy.name, isUnattended: options.isUnattended }),
      tools: run.tools.toolDefinitions((tool) => isOffered(policy.tools, tool)),
      runToolCall: run.gate.runToolCall,
      limits: policy.limits.run,
      signal: options.signal,
      emit: options.emit,
      clock: systemClock,
    });
    const changes = policy.sandbox.workspace === "transactional" ? (await run.session.changes()).length : null;
    await run.end(end.kind, end.reason === "" ? undefined : end.reason);
    return { runId: run.id, end, changes };
  } catch (error) {
    await run.end("failed", error instanceof AgentError ? error.code : "fault");
    throw error;
  }
}

/** A tool that the policy denies is not offered; the gate refuses it all the same. */
function isOffered(tools: { readonly allow: readonly string[]; readonly deny: readonly string[] }, name: string): boolean {
  return (tools.allow.includes("*") || tools.allow.includes(name)) && !tools.deny.includes(name);
}
