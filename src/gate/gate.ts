import type { Label } from "../policy/label.ts";
import type { Decision } from "../policy/decision.ts";
import type { Delegation, DelegationEnd, ScriptEnd, ScriptProgram, ToolCall, ToolResult } from "../tools/contract/tool.ts";
import type { SampleEnd, SampleRequest } from "../tools/contract/run-handles.ts";
import type { ToolTraits } from "../tools/contract/traits.ts";

export { resultText } from "../tools/contract/tool.ts";
export type { ToolCall, ToolResult, ToolTraits };
import type { StreamName } from "../sandbox/runtime.ts";

/** A decision bound to exactly one call: the digest covers tool, final arguments, cwd, environment delta, profile, image, policy, run and inputs. */
export type Ruling = {
  readonly digest: string;
  readonly callId: string;
  readonly tool: string;
  readonly decision: Decision;
  /** The policy's digest. */
  readonly policy: string;
};

/** What a caller may watch while a call is on its way. For people and logs, never for the model. */
export type GateEvent =
  | { readonly kind: "ruling"; readonly ruling: Ruling; readonly input: unknown }
  | { readonly kind: "approval-requested"; readonly callId: string; readonly approvalId: string; readonly rule: string }
  | {
      readonly kind: "approval-answered";
      readonly callId: string;
      readonly approvalId: string;
      readonly isGranted: boolean;
      readonly by: string;
      readonly reason: string;
    }
  | { readonly kind: "tool-start"; readonly callId: string; readonly tool: string }
  | { readonly kind: "tool-output"; readonly callId: string; readonly stream: StreamName; readonly text: string }
  /** What a hook did to the call. */
  | {
      readonly kind: "hook";
      readonly callId: string;
      readonly hook: string;
      readonly did: "blocked" | "failed" | "rewrote" | "changed" | "warned";
      readonly detail: string;
    }
  /** What the model wants the person to know. Visible, and without known secrets. */
  | { readonly kind: "user-message"; readonly callId: string; readonly text: string }
  /** What a tool says of itself on its way, a line. */
  | { readonly kind: "tool-progress"; readonly callId: string; readonly text: string }
  /** A part of what is coming, as JSON. */
  | { readonly kind: "tool-update"; readonly callId: string; readonly value: unknown }
  | {
      readonly kind: "tool-end";
      readonly callId: string;
      readonly tool: string;
      readonly isError: boolean;
      readonly outcome: string;
      /** Of the command that the call ran, if it ran one to its end. */
      readonly exitCode: number | null;
      /** What Warder itself has to say of it, a line each. */
      readonly notes: readonly string[];
      readonly durationMs: number;
      /** Lines of progress and updates that were dropped, because whoever watches was too slow; absent: none. */
      readonly dropped?: number;
      /** The run of its sub-agent. */
      readonly childRunId?: string;
    };

/**
 * Calls the listener. For `tool-output` the command waits for the promise that it returns (`TakeOutput` of sandbox/runtime.ts), for `turn-start` the turn; for
 * other events nobody waits.
 */
export type Emit<Event = GateEvent> = (event: Event) => unknown;

/** Why a call was refused: the deciding rule, and a digest for each pair of rule and subject. A subject may hold what nobody wants kept. */
export type Refusal = { readonly rule: string; readonly reasons: readonly string[] };

/** What the calls of a sub-agent came to: each refusal once, and whether it looked at something or changed something. */
export type DelegatedWork = {
  readonly refusals: readonly (Refusal & { readonly isLook: boolean })[];
  readonly hasLooked: boolean;
  readonly hasChanged: boolean;
};

/** What a sub-agent said at its end. */
export type Said = { readonly name: string; readonly text: string; readonly labels: readonly Label[] };

/** Starts the sub-agents of a call, or goes on with those that it had: `index` of them were before. `heard`: what goes with the task. */
export type Delegate = (
  delegation: Delegation,
  of: {
    readonly callId: string;
    readonly index: number;
    readonly heard: readonly Said[];
    /** As the trait of the tool says. */ readonly workspace: ToolTraits["subAgents"];
    readonly signal: AbortSignal;
  },
) => Promise<{
  readonly end: DelegationEnd;
  readonly work: DelegatedWork | null;
  /** Of what the sub-agent was given, and so of its answer. */ readonly labels?: readonly Label[];
}>;

/** Runs the script of a call, each of whose own calls comes to this gate. A call that is repeated after a restart goes on from the answers that its script had. */
export type RunScript = (
  program: ScriptProgram,
  of: {
    readonly callId: string;
    readonly signal: AbortSignal;
    readonly emit: Emit;
    /** What answers of before brought with them, which this gate has not seen. */
    readonly recall: (brought: { readonly labels: readonly Label[]; readonly seen: readonly (readonly [path: string, hash: string])[] }) => void;
  },
) => Promise<{ readonly end: ScriptEnd; readonly work: DelegatedWork | null; /** Of all that its calls answered. */ readonly labels: readonly Label[] }>;

/** How a call ended for whoever drives the gate. */
export type CallEnd = {
  readonly result: ToolResult;
  readonly ruling: Ruling | null;
  /** `parked` and `budget` end a run with their own exit codes. What is parked was not answered: its question waits for a person. */
  readonly kind: "executed" | "denied" | "refused" | "invalid" | "unknown-tool" | "unavailable" | "budget" | "cancelled" | "fault" | "parked";
  /** Where the policy, a person or nobody's answer refused it; absent for what failed by itself. */
  readonly refusal?: Refusal;
  /** Of the command that an executed call ran; null or absent where it ran none to its end. */
  readonly exitCode?: number | null;
  /** The question that a parked call waits for. */
  readonly approvalId?: string;
  /** What sub-agents of the call did; absent: it started none. */
  readonly delegated?: readonly DelegatedWork[];
};

/** Has a model of the run write for an MCP server, within the run's budget. A person has said yes to it. */
export type Sample = (request: SampleRequest, signal: AbortSignal) => Promise<SampleEnd>;

export type CallOptions = {
  readonly signal: AbortSignal;
  readonly emit: Emit;
  /** The calls behind it in the same turn: where a person is asked about this one, they see which of those they would be asked about, too. */
  readonly following?: readonly ToolCall[];
  /** Absent: there are no sub-agents. */
  readonly delegate?: Delegate;
  /** Absent: there are no scripts. */
  readonly runScript?: RunScript;
  /** Absent: there is no model. */
  readonly sample?: Sample;
};

export type RunToolCall = (call: ToolCall, options: CallOptions) => Promise<CallEnd>;

export type PathScope = { readonly path: string; readonly isRecursive: boolean };

/** What is known of a call before it is judged: what decides when it may run. It says nothing of what is allowed. */
export type CallPlan = {
  /** The canonical name. */
  readonly tool: string;
  readonly traits: ToolTraits;
  readonly reads: readonly PathScope[];
  readonly writes: readonly PathScope[];
  /** Calls of one identity are the same to the watch for circles. */
  readonly identity: string;
};

/** What a tool says of itself, by the name that a model called it by; null: there is none. */
export type TraitsOf = (name: string) => ToolTraits | null;

/** Null: the call names no tool. */
export type PlanCall = (call: ToolCall) => CallPlan | null;
