import type { Clock } from "../base/clock.ts";
import { makeVisibleLine } from "../base/text.ts";
import type { Policy } from "../policy/policy.ts";
import { decodeInput } from "../tools/decode.ts";
import type { ToolSetting } from "../tools/tool.ts";
import type { ToolSource } from "./gate-parts.ts";
import { hostFacts } from "./host-facts.ts";
import { judge, type Bench, type Judgement } from "./judgement.ts";
import { refusal } from "./ruling.ts";
import { checkVerdict, type CheckVerdict } from "./verdict.ts";

/** What a verdict without a session needs. */
export type CheckParts = {
  readonly policy: Policy;
  readonly tools: ToolSource;
  readonly setting: ToolSetting;
  readonly containment: "profile" | "none";
  readonly ownPaths: readonly string[];
  readonly clock: Clock;
  /** Absent: no state is consulted, and the verdict is about the policy alone. */
  readonly state?: { isStopped(): boolean; actionsLeft(): number | null; asksLeft(): number | null };
};

/** What would be decided about a command text in the workspace. Nothing runs, nothing is recorded. */
export async function checkCommand(parts: CheckParts, command: string): Promise<CheckVerdict> {
  return await checkCall(parts, { name: "shell", input: { command } });
}

/** What would be decided about a tool call. An unknown tool or argument is denied, as a run would refuse it. */
export async function checkCall(parts: CheckParts, call: { readonly name: string; readonly input: unknown }): Promise<CheckVerdict> {
  const { call: judged, decision, measured } = await judgeCall(parts, call);
  return checkVerdict(judged, decision, { measured, source: "host", containment: parts.containment });
}

/** The same with everything that the verdict rests on. A call that is refused before it is read has no requests and no units. */
export async function judgeCall(parts: CheckParts, call: { readonly name: string; readonly input: unknown }): Promise<Judgement> {
  const tool = parts.tools.find(call.name);
  if (tool === undefined) return rejected(call.name, "unknown-tool", `Tool not found: ${makeVisibleLine(call.name).slice(0, 200)}.`);
  const decoded = decodeInput(tool, call.input);
  if (decoded.kind === "invalid") return rejected(tool.name, "invalid-arguments", decoded.message);
  try {
    return await judge(benchOf(parts), tool.name, tool.requests(decoded.input, parts.setting));
  } catch (error) {
    // Fail closed: what cannot be judged is denied, and says so.
    return rejected(tool.name, "gate-fault", `It could not be judged: ${error instanceof Error ? error.message : "unknown fault"}.`);
  }
}

function benchOf(parts: CheckParts): Bench {
  const { state } = parts;
  return {
    policy: parts.policy,
    setting: parts.setting,
    source: hostFacts(parts.policy.workspace.roots.map((root) => root.path)),
    containment: parts.containment,
    isSandboxReady: true,
    ownPaths: parts.ownPaths,
    clock: parts.clock,
    isStopped: () => state?.isStopped() ?? false,
    actionsLeft: () => state?.actionsLeft() ?? null,
    asksLeft: () => state?.asksLeft() ?? null,
  };
}

function rejected(tool: string, rule: string, reason: string): Judgement {
  return { call: { tool, requests: [] }, decision: refusal(rule, reason), measured: { paths: new Map(), files: new Map() } };
}
