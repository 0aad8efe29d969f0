import { z } from "zod";
import { AgentError } from "../../base/errors.ts";
import { toolFault, toolMatcher } from "../../policy/language/tool-patterns.ts";
import type { GateEvent, Ruling } from "../gate.ts";
import type { ToolResult } from "../../tools/contract/tool.ts";

/** A call as a hook sees it. */
export type HookedCall = {
  readonly runId: string;
  readonly callId: string;
  /** The tool's canonical name. */
  readonly tool: string;
  /** The final arguments, frozen; of a call that did not decode, what came. */
  readonly input: unknown;
};

/** `signal` aborts when the run is cancelled, and when the hook's time is over. */
export type HookContext = { readonly signal: AbortSignal };

type Later<T> = T | Promise<T>;

/** What a hook may say before a call is judged. Whatever it says, policy and people decide as if it had not been there. */
export type BeforeVerdict = undefined | { readonly block: string } | { readonly rewrite: Readonly<Record<string, unknown>> };

/** Something that is only recorded. */
type Warning = { readonly warn: string };

/** What a hook may make of a result. A denial stays one: `isError` is never taken back, and a refused call votes for no end. */
export type AfterVerdict = undefined | Warning | { readonly text?: string; readonly isError?: true; readonly terminate?: boolean };

/** What a hook may say of a question before a person hears of it. It cannot say yes. */
export type AskVerdict = undefined | { readonly block: string };

/** A run as a hook sees it when it begins. `isResumed`: it goes on from where it was suspended or stopped. */
export type HookedRun = { readonly runId: string; readonly task: string; readonly model: string; readonly workspace: string; readonly isResumed: boolean };

/** Where the words of a person come from. A further task of a run that was over is a task, too. */
export type PromptSource = "task" | "steering" | "follow-up";

export type HookedPrompt = { readonly runId: string; readonly text: string; readonly source: PromptSource };

/** What a hook may say of a run before its model is asked anything. */
export type StartVerdict = undefined | Warning | { readonly block: string };

/** What a hook may say of a person's words before the model hears them. With a warning they go in, and it stands behind them. */
export type PromptVerdict = undefined | { readonly block: string } | Warning;

/** The model is done. `text`: the last that it said. `putOff`: how often hooks had the run go on by now. */
export type HookedStop = { readonly runId: string; readonly text: string; readonly putOff: number };

/** What a hook may say when the model is done: what is left to do. The model hears it as the program's words, and no limit is lifted. */
export type StopVerdict = undefined | Warning | { readonly continue: string };

/** Functions of a program that embeds Warder, called around each call and at the turning points of a run. They only restrict; one that fails or hangs denies. */
export type Hook = {
  /** Named in refusals, events and the log. */
  readonly name: string;
  /** Patterns of tools as in a policy (`shell`, `bash`, `read_*`, `github__*`), for the functions around calls; absent: all. */
  readonly tools?: readonly string[];
  /** Milliseconds for one call of a function; 10,000 unless stated, 600,000 at most. */
  readonly timeoutMs?: number;
  /** Whether `beforeTool` may change arguments. They are validated and judged as if the model had sent them. */
  readonly mayRewrite?: boolean;
  /** After the arguments were read, before policy. */
  readonly beforeTool?: (call: HookedCall, context: HookContext) => Later<BeforeVerdict>;
  /** For every call of a known tool, also one that never ran. `outcome`: how it ended (`completed`, `denied`, `failed`…). */
  readonly afterTool?: (call: HookedCall, result: ToolResult & { readonly outcome: string }, context: HookContext) => Later<AfterVerdict>;
  /** Output, progress and updates on their way to whoever watches: false keeps one from them. The result is not affected. */
  readonly beforeUpdate?: (call: HookedCall, event: GateEvent, context: HookContext) => Later<boolean>;
  /** Before a person is asked. */
  readonly beforeAsk?: (call: HookedCall, ruling: Ruling, context: HookContext) => Later<AskVerdict>;
  /** Before the first request of a run, also of one that is resumed. */
  readonly onRunStart?: (run: HookedRun, context: HookContext) => Later<StartVerdict>;
  /** For the task and for all that a person says on the way. */
  readonly onPrompt?: (prompt: HookedPrompt, context: HookContext) => Later<PromptVerdict>;
  /** When the model is done, three times a run at most. */
  readonly onStop?: (stop: HookedStop, context: HookContext) => Later<StopVerdict>;
  /** When the run is suspended, because a question waits for a person. */
  readonly onPark?: (park: { readonly runId: string; readonly approvalId: string }, context: HookContext) => Later<void | Warning>;
};

const CALL_POINTS = ["beforeTool", "afterTool", "beforeUpdate", "beforeAsk"] as const;
const RUN_POINTS = ["onRunStart", "onPrompt", "onStop", "onPark"] as const;
type CallPoint = (typeof CALL_POINTS)[number];
type RunPoint = (typeof RUN_POINTS)[number];
type HookWith<Point extends CallPoint | RunPoint> = Hook & Required<Pick<Hook, Point>>;

/** The hooks of a run, by what they look at. */
export type Hooks = {
  readonly at: <Point extends CallPoint>(point: Point, tool: string) => readonly HookWith<Point>[];
  readonly of: <Point extends RunPoint>(point: Point) => readonly HookWith<Point>[];
};

export const DEFAULT_HOOK_TIMEOUT_MS = 10_000;
export const MAX_HOOK_TIMEOUT_MS = 600_000;

const hookSchema = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9-]{0,63}$/u, "use lower-case letters, digits and -"),
  tools: z.array(z.string()).min(1, "name at least one tool, or leave it out for all").optional(),
  timeoutMs: z.int().min(1).max(MAX_HOOK_TIMEOUT_MS).optional(),
  mayRewrite: z.boolean().optional(),
  ...Object.fromEntries([...CALL_POINTS, ...RUN_POINTS].map((point) => [point, z.function().optional()])),
});

/** Throws `bad-configuration` for a hook that could never be called as it is meant. */
export function createHooks(hooks: readonly Hook[] = []): Hooks {
  const names = new Set<string>();
  const ready = hooks.map((hook) => {
    const problem = faultOf(hook) ?? (names.has(hook.name) ? "another hook has this name" : null);
    if (problem !== null) throw new AgentError("bad-configuration", `The hook ${JSON.stringify(hook.name)} cannot be used: ${problem}.`);
    names.add(hook.name);
    return { hook, fits: hook.tools === undefined ? () => true : toolMatcher(hook.tools) };
  });
  // Those that change nothing look at what will be judged.
  const rewriting = ready.toSorted((one, other) => Number(other.hook.mayRewrite === true) - Number(one.hook.mayRewrite === true));
  return {
    at: <Point extends CallPoint>(point: Point, tool: string) =>
      (point === "beforeTool" ? rewriting : ready).flatMap(({ hook, fits }) => (hook[point] !== undefined && fits(tool) ? [hook as HookWith<Point>] : [])),
    of: <Point extends RunPoint>(point: Point) => ready.flatMap(({ hook }) => (hook[point] === undefined ? [] : [hook as HookWith<Point>])),
  };
}

function faultOf(hook: Hook): string | null {
  const read = hookSchema.safeParse(hook);
  const issue = read.error?.issues[0];
  if (issue !== undefined) return `${issue.path.join(".") || "it"}: ${issue.message}`;
  const unknown = hook.tools?.find((pattern) => toolFault(pattern) !== null);
  if (unknown !== undefined) return `tools: ${JSON.stringify(unknown)}: ${String(toolFault(unknown))}`;
  const has = (points: readonly (CallPoint | RunPoint)[]): boolean => points.some((point) => hook[point] !== undefined);
  if (hook.tools !== undefined && !has(CALL_POINTS)) return "it names tools, and has no function that is asked of a call";
  return has([...CALL_POINTS, ...RUN_POINTS]) ? null : "it has no function";
}
