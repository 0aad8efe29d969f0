import type { CallEnd, GateEvent } from "../gate/gate.ts";
import type { HookCommandRan } from "../gate/hooks/command-hook.ts";
import type { PromptSource } from "../gate/hooks/hook.ts";
import type { RunHookDid } from "../gate/hooks/run-hooks.ts";
import type { FinishReason, Usage } from "../providers/contract/provider.ts";
import type { RunEnd } from "./run-end.ts";

/** How a call was answered: as the gate says, or without reaching it. */
export type CallEnding = CallEnd["kind"] | "malformed" | "not-started" | "skipped" | "interrupted";

/** What happens in a run, in order. For people, logs and `--json`; nothing here goes back to the model. */
export type RunEvent =
  | {
      readonly kind: "run-start";
      readonly task: string;
      readonly model: string;
      readonly isScripted: boolean;
      readonly workspace: string;
      /** It goes on from where it was suspended or stopped. */ readonly isResumed: boolean;
    }
  | { readonly kind: "turn-start"; readonly turn: number }
  /** Another model answers from now on. `reason`: what the one before failed with. */
  | { readonly kind: "model-switch"; readonly from: string; readonly to: string; readonly reason: string }
  /** What the workspace was after a turn is not kept: the run cannot go back to it. */
  | { readonly kind: "turn-not-kept"; readonly turn: number; readonly reason: string }
  /** The model begins to answer. */
  | { readonly kind: "message-start"; readonly turn: number }
  /** A piece of what the model says, as it arrives. */
  | { readonly kind: "message-delta"; readonly turn: number; readonly text: string }
  /** All that the model said in this turn, and the calls it wants. */
  | {
      readonly kind: "message-end";
      readonly turn: number;
      readonly text: string;
      readonly calls: readonly { readonly callId: string; readonly name: string; readonly input: unknown }[];
      readonly finish: FinishReason | "error";
    }
  | GateEvent
  /** The one answer to a call, as the model will read it. `ending` tells whether it ran. */
  | {
      readonly kind: "tool-result";
      readonly callId: string;
      readonly tool: string;
      readonly ending: CallEnding;
      readonly isError: boolean;
      readonly text: string;
    }
  /** How one command of a hook ended. */
  | ({ readonly kind: "hook-command" } & HookCommandRan)
  /** What a hook did at a turning point of the run. */
  | ({ readonly kind: "run-hook" } & RunHookDid)
  /** What a person said on the way, or before: it went in, with what hooks warned of, or was kept out. */
  | { readonly kind: "input"; readonly source: PromptSource; readonly text: string; readonly warnings: readonly string[] }
  | { readonly kind: "input-rejected"; readonly source: PromptSource; readonly text: string; readonly reason: string }
  /** The beginning of the conversation was summed up: so many messages became one. */
  | { readonly kind: "history-compacted"; readonly messages: number; readonly usage: Usage }
  | { readonly kind: "turn-end"; readonly turn: number; readonly usage: Usage }
  /** What happens in a sub-agent that the call started; in one of that one's, nested once more. `name`: of one of a crew. */
  | { readonly kind: "child-event"; readonly callId: string; readonly name?: string; readonly event: AgentEvent }
  | { readonly kind: "run-end"; readonly end: RunEnd };

/** A run event with where and when: `atMs` is milliseconds since the epoch. */
export type AgentEvent = { readonly runId: string; readonly atMs: number } & RunEvent;
