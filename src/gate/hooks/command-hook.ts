import type { Clock } from "../../base/clock.ts";
import { digestOf } from "../../base/digest.ts";
import type { CommandHook, HookPoint } from "../../policy/hook.ts";
import type { Outcome } from "../../sandbox/outcome.ts";
import type { Session } from "../../sandbox/runtime.ts";
import { readAnswer } from "./command-answer.ts";
import { afterInput, askInput, callInput, type HookInput, MAX_INPUT_CHARACTERS, runInput } from "./command-input.ts";
import { type Hook, type HookContext, MAX_HOOK_TIMEOUT_MS } from "./hook.ts";

/** How one run of a hook's command ended, whatever followed from it. */
export type HookCommandRan = {
  readonly hook: string;
  readonly point: HookPoint;
  /** Null: it concerned no call. */
  readonly callId: string | null;
  readonly outcome: Outcome["kind"];
  readonly exitCode: number | null;
  readonly durationMs: number;
  /** What it had said before to the same input counted, and nothing ran. */
  readonly isCached: boolean;
};

export type CommandHooksParts = {
  readonly workspace: string;
  readonly clock: Clock;
  readonly session: Pick<Session, "look" | "redact">;
  /** Of the run or sub-agent that it concerned. */
  readonly tell: (ran: HookCommandRan, runId: string) => void;
};

const MAX_CACHED = 256;

/** The commands of a policy's hooks as functions: what a command says is what a function would have said, and one that fails throws. */
export function commandHooks(hooks: readonly CommandHook[], parts: CommandHooksParts): readonly Hook[] {
  return hooks.map((hook) => {
    const ask = askOf(hook, parts);
    const has = (point: HookPoint): boolean => hook.on.includes(point);
    const isAfter = has("after-tool") || has("tool-failure");
    return {
      name: hook.id,
      ...(hook.tools === null ? {} : { tools: hook.tools }),
      // The sandbox holds the command to its own time: here it may have to wait for its turn.
      timeoutMs: MAX_HOOK_TIMEOUT_MS,
      mayRewrite: hook.mayRewrite,
      ...(has("before-tool") && { beforeTool: (call, context) => ask("before-tool", callInput(call), context) }),
      ...(isAfter && {
        afterTool: (call, result, context) => {
          const point = has("after-tool") ? "after-tool" : "tool-failure";
          return point === "tool-failure" && !result.isError ? undefined : ask(point, afterInput(call, result), context);
        },
      }),
      ...(has("ask") && { beforeAsk: (call, ruling, context) => ask("ask", askInput(call, ruling), context) }),
      ...(has("run-start") && { onRunStart: (run, context) => ask("run-start", runInput("run", run), context) }),
      ...(has("prompt") && { onPrompt: (prompt, context) => ask("prompt", runInput("prompt", prompt), context) }),
      ...(has("stop") && { onStop: (stop, context) => ask("stop", runInput("stop", stop), context) }),
      ...(has("park") && { onPark: (park, context) => ask("park", runInput("park", park), context) }),
    };
  });
}

type Ask = (point: HookPoint, input: HookInput, context: HookContext) => Promise<never>;

function askOf(hook: CommandHook, { workspace, clock, session, tell }: CommandHooksParts): Ask {
  const kept = new Map<string, { readonly untilMs: number; readonly answer: unknown }>();
  const recall = (key: string): { readonly answer: unknown } | null => {
    const known = kept.get(key);
    return known !== undefined && clock.monotonicMs() < known.untilMs ? known : null;
  };
  return async (point, { about, runId, callId = null }, { signal }) => {
    const key = hook.cacheMs === 0 ? "" : digestOf({ point, about });
    const known = recall(key);
    if (known !== null) {
      tell({ hook: hook.id, point, callId, outcome: "completed", exitCode: 0, durationMs: 0, isCached: true }, runId);
      return known.answer as never;
    }
    const input = JSON.stringify({ version: 1, point, hook: hook.id, runId, ...(callId === null ? {} : { callId }), workspace, ...about });
    if (input.length > MAX_INPUT_CHARACTERS) throw new Error("what it is to look at is longer than 2 MiB");
    const startedMs = clock.monotonicMs();
    const outcome = await session.look({ argv: hook.argv, input, timeoutMs: hook.timeoutMs }, signal);
    const exitCode = outcome.kind === "completed" && outcome.result.kind === "exec" ? outcome.result.exitCode : null;
    tell({ hook: hook.id, point, callId, outcome: outcome.kind, exitCode, durationMs: clock.monotonicMs() - startedMs, isCached: false }, runId);
    const answer = readAnswer(hook, point, { outcome, redact: session.redact });
    if (hook.cacheMs > 0 && exitCode === 0) {
      kept.set(key, { untilMs: clock.monotonicMs() + hook.cacheMs, answer });
      const [oldest] = kept.keys();
      if (kept.size > MAX_CACHED && oldest !== undefined) kept.delete(oldest);
    }
    return answer as never;
  };
}
