import type { AuditLog } from "../../audit/log/log.ts";
import type { Clock } from "../../base/clock.ts";
import type { Decision, Verdict } from "../../policy/decision.ts";
import type { Policy } from "../../policy/policy.ts";
import type { Store } from "../../store/store.ts";
import type { ToolRequest, ToolSetting } from "../../tools/contract/tool.ts";

/** A call that another agent carries out by itself, if it may. */
export type ForeignCall = {
  readonly callId: string;
  /** Warder's name of the tool, or `server__tool`. */
  readonly tool: string;
  /** As the agent sent it. */
  readonly input: unknown;
  /** Absolute; what relative paths were of. */
  readonly cwd: string;
  readonly requests: readonly ToolRequest[];
  /** Whether the agent itself asks its person where the answer is an ask. */
  readonly canAsk: boolean;
};

/** Everything that such a call is judged with. Nothing here contains it: what a policy allows only inside a sandbox is decided as if it did not say so. */
export type ForeignParts = {
  readonly policy: Policy;
  readonly setting: ToolSetting;
  readonly ownPaths: readonly string[];
  readonly store: Store;
  readonly audit: AuditLog;
  readonly clock: Clock;
  /** Of the agent's session. */
  readonly runId: string;
  readonly approvalTimeoutMs: number;
  /** Recorded only: the agent decides, nothing is spent, and nobody is asked. */
  readonly isShadow: boolean;
};

/** How it ended. `text`: for the agent's model. */
export type ForeignEnd = { readonly verdict: Verdict; readonly text: string; readonly decision: Decision | null };
