import type { ToolCall, ToolRequest } from "../../tools/contract/tool.ts";
import type { Delegate, Emit, Ruling, RunScript, Sample } from "../gate.ts";
import type { GateState } from "../gate-state.ts";
import type { Judgement } from "./judge.ts";
import type { Binding } from "./ruling.ts";

/** A call that was ruled on, on its way to the sandbox. */
export type RuledCall = {
  readonly gate: GateState;
  readonly ruling: Ruling;
  readonly binding: Binding;
  readonly judgement: Judgement;
  /** As the tool stated them; what the handles check each action against. */
  readonly wanted: readonly ToolRequest[];
  /** Digest of what code could load, when an approval is bound to it ({@link boundState}). */
  readonly bound: string | null;
  /** The calls behind it in its turn, as far as they are known. */
  readonly following: readonly ToolCall[];
  readonly signal: AbortSignal;
  readonly emit: Emit;
  readonly delegate: Delegate | undefined;
  readonly runScript: RunScript | undefined;
  readonly sample: Sample | undefined;
};
