import { z } from "zod";
import { makeVisibleLine } from "../../base/text.ts";
import { type Answered, askHook, blocked, warned, words } from "./ask-hook.ts";
import { createHooks, type Hook, type HookedPrompt, type HookedRun, type HookedStop } from "./hook.ts";

const sayVerdict = z.union([z.undefined(), blocked, warned]);
const parkVerdict = z.union([z.undefined(), warned]);
const stopVerdict = z.union([z.undefined(), warned, z.strictObject({ continue: words })]);

/** What a hook did to a run, for whoever watches and for the log. */
export type RunHookDid = {
  readonly hook: string;
  readonly point: "run-start" | "prompt" | "stop" | "park";
  readonly did: "blocked" | "failed" | "warned" | "continued";
  readonly detail: string;
};

export type HookBlock = { readonly hook: string; readonly reason: string };

/** The hooks that look at a run as a whole. `signal` aborts when the run is cancelled or its time is over. */
export type RunHooks = {
  /** Why the run does not begin; null: it does. A hook that fails lets it not. */
  readonly start: (run: HookedRun, signal: AbortSignal) => Promise<HookBlock | null>;
  /** The first that blocks keeps the words out, and so does one that fails. `warnings`: of all that warned. */
  readonly prompt: (prompt: HookedPrompt, signal: AbortSignal) => Promise<{ readonly block: HookBlock | null; readonly warnings: readonly string[] }>;
  /** What the first of them says is left to do; null: the run ends. */
  readonly stop: (stop: HookedStop, signal: AbortSignal) => Promise<HookBlock | null>;
  readonly park: (park: { readonly runId: string; readonly approvalId: string }, signal: AbortSignal) => Promise<void>;
};

/** `tell` hears of each thing that a hook did. Throws `bad-configuration` like `createHooks`. */
export function createRunHooks(hooks: readonly Hook[] = [], tell: (did: RunHookDid) => void = () => undefined): RunHooks {
  const { of } = createHooks(hooks);
  const blockOf = (
    hook: Hook,
    point: RunHookDid["point"],
    said: Answered<undefined | { readonly block: string } | { readonly warn: string }>,
  ): HookBlock | null => {
    const isFault = "fault" in said;
    if (!isFault && (said.value === undefined || !("block" in said.value))) return null;
    const detail = isFault ? said.fault : (said.value as { readonly block: string }).block;
    tell({ hook: hook.name, point, did: isFault ? "failed" : "blocked", detail });
    return { hook: hook.name, reason: isFault ? `the hook failed (${makeVisibleLine(detail)})` : detail };
  };
  const warningOf = (hook: Hook, point: RunHookDid["point"], said: Answered<undefined | object>): string | null => {
    if (!("value" in said) || said.value === undefined || !("warn" in said.value)) return null;
    const detail = String(said.value.warn);
    tell({ hook: hook.name, point, did: "warned", detail });
    return detail;
  };
  return {
    start: async (run, signal) => {
      for (const hook of of("onRunStart")) {
        const said = await askHook(hook, { schema: sayVerdict, signal }, (context) => hook.onRunStart({ ...run }, context));
        const block = blockOf(hook, "run-start", said);
        if (block !== null) return block;
        warningOf(hook, "run-start", said);
      }
      return null;
    },
    prompt: async (prompt, signal) => {
      const warnings: string[] = [];
      for (const hook of of("onPrompt")) {
        const said = await askHook(hook, { schema: sayVerdict, signal }, (context) => hook.onPrompt({ ...prompt }, context));
        const block = blockOf(hook, "prompt", said);
        if (block !== null) return { block, warnings: [] };
        const warning = warningOf(hook, "prompt", said);
        if (warning !== null) warnings.push(warning);
      }
      return { block: null, warnings };
    },
    stop: async (stop, signal) => {
      for (const hook of of("onStop")) {
        const said = await askHook(hook, { schema: stopVerdict, signal }, (context) => hook.onStop({ ...stop }, context));
        if ("fault" in said) tell({ hook: hook.name, point: "stop", did: "failed", detail: said.fault });
        else if (warningOf(hook, "stop", said) === null && said.value !== undefined && "continue" in said.value) {
          tell({ hook: hook.name, point: "stop", did: "continued", detail: said.value.continue });
          return { hook: hook.name, reason: said.value.continue };
        }
      }
      return null;
    },
    park: async (park, signal) => {
      for (const hook of of("onPark")) {
        const said = await askHook(hook, { schema: parkVerdict, signal }, (context) => hook.onPark({ ...park }, context));
        if ("fault" in said) tell({ hook: hook.name, point: "park", did: "failed", detail: said.fault });
        else warningOf(hook, "park", said);
      }
    },
  };
}
