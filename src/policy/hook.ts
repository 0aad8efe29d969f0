import type { SourcePosition } from "./decision.ts";

/** When a command of a policy's hooks is run. */
export const HOOK_POINTS = ["run-start", "prompt", "before-tool", "after-tool", "tool-failure", "ask", "stop", "park"] as const;
export type HookPoint = (typeof HOOK_POINTS)[number];

/** The points that concern one call, and so a tool. */
export const CALL_HOOK_POINTS: ReadonlySet<HookPoint> = new Set<HookPoint>(["before-tool", "after-tool", "tool-failure", "ask"]);

/** A command that a person has Warder run, in a sandbox of its own, at points of a run. It only restricts. */
export type CommandHook = {
  readonly id: string;
  readonly on: readonly HookPoint[];
  /** Patterns of tools by their own names; null: every tool. */
  readonly tools: readonly string[] | null;
  readonly argv: readonly string[];
  readonly timeoutMs: number;
  /** How long a success counts for the same input; 0: never again. */
  readonly cacheMs: number;
  /** Whether it may change the arguments of a call, which are judged anew. */
  readonly mayRewrite: boolean;
  readonly because: string;
  readonly at: SourcePosition;
};

/** Hooks as plain data that says only what they do. */
export function withoutPlaces(hooks: readonly CommandHook[]): readonly Omit<CommandHook, "at">[] {
  return hooks.map(({ at: _at, ...hook }) => hook);
}
