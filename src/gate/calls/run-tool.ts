import type { Policy } from "../../policy/policy.ts";
import { faultText } from "../../base/fault-text.ts";
import type { ToolContext, ToolResult } from "../../tools/contract/tool.ts";
import { createHandles } from "./handles.ts";
import type { DecodedCall } from "../ruling/decode-call.ts";
import { errorResult } from "../ruling/denial-text.ts";
import { permitInvocation } from "./perform-action.ts";
import type { Progress } from "./progress.ts";
import type { RuledCall } from "../ruling/ruled-call.ts";
import type { Updates } from "./updates.ts";

/** Time for what a tool does around its actions, each of which has a limit of its own. */
const TOOL_GRACE_MS = 120_000;
/** How long a tool that was cancelled may take to end by itself. */
const CANCEL_GRACE_MS = 3000;

/** Runs the tool itself with the handles of its call, within its time. A tool that throws has failed; what it did through its handles was recorded. */
export async function runTool(call: RuledCall, { tool, input }: DecodedCall, progress: Progress, updates: Updates): Promise<ToolResult> {
  const { gate, ruling, signal } = call;
  const { setting, policy } = gate.parts;
  const isInvoked = call.wanted.some((request) => request.kind === "invoke");
  if (isInvoked && !(await permitInvocation(call, progress))) return errorResult("Not run.");
  const context: ToolContext = {
    ...setting,
    callId: ruling.callId,
    toolName: tool.name,
    signal,
    handles: createHandles(call, progress),
    seen: gate.seen,
    progress: updates.progress,
    update: updates.update,
  };
  const longest = policy.sandbox.commandTimeoutMs + TOOL_GRACE_MS;
  const { timeoutMs } = tool.traits;
  return await withinTime(() => tool.execute(input, context), {
    tool: tool.name,
    progress,
    signal,
    limitMs: timeoutMs === "run" ? ofRunMs(policy) : timeoutMs === "policy" ? longest : Math.min(timeoutMs, longest),
  });
}

/** setTimeout takes no more than this. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

function ofRunMs({ limits }: Policy): number {
  return Math.min(limits.run.minutes * 60_000, LONGEST_TIMER_MS);
}

type Run = { readonly tool: string; readonly progress: Progress; readonly signal: AbortSignal; readonly limitMs: number };

async function withinTime(work: () => Promise<ToolResult>, { tool, progress, signal, limitMs }: Run): Promise<ToolResult> {
  const { promise, resolve } = Promise.withResolvers<ToolResult>();
  const end = (fault: "timed-out" | "cancelled", text: string) => (): void => {
    progress.toolFault ??= fault;
    resolve(errorResult(text));
  };
  const timers = [setTimeout(end("timed-out", "Timed out: the tool did not end."), limitMs)];
  const onAbort = (): void => {
    timers.push(setTimeout(end("cancelled", "Cancelled. The tool did not end by itself, so what it did until then is unknown."), CANCEL_GRACE_MS));
  };
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([attempt(work, tool, progress), promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
    for (const timer of timers) clearTimeout(timer);
  }
}

async function attempt(work: () => Promise<ToolResult>, tool: string, progress: Progress): Promise<ToolResult> {
  try {
    return await work();
  } catch (error) {
    progress.toolFault ??= "failed";
    return errorResult(`Failed: the tool ${tool} had a fault of its own.`, { fault: faultText(error) });
  }
}
