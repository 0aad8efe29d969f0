import type { Clock } from "../base/clock.ts";
import { makeVisibleLine } from "../base/text.ts";
import type { Policy } from "../policy/policy.ts";
import { decodeInput } from "../tools/decode.ts";
import type { ToolSetting } from "../tools/tool.ts";
import type { ToolSource } from "./gate-parts.ts";
import { hostFacts } from "./host-facts.ts";
import { judge, type Bench } from "./judgement.ts";
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
  const tool = parts.tools.find(call.name);
  if (tool === undefined) return rejected(parts, call.name, "unknown-tool", `Tool not found: ${makeVisibleLine(call.name).slice(0, 200)}.`);
  const decoded = decodeInput(tool, call.input);
  if (decoded.kind === "invalid") return rejected(parts, tool.name, "invalid-arguments", decoded.message);
  try {
    const bench = benchOf(parts);
    const { call: judged, decision, measured } = await judge(bench, tool.name, tool.requests(decoded.input, parts.setting));
    return checkVerdict(judged, decision, { measured, source: "host", containment: parts.containment });
  } catch (error) {
    // Fail closed: what cannot be judged is denied, and says so.
    return rejected(parts, tool.name, "gate-fault", `It could not be judged: ${error instanceof Error ? error.message : "unknown fault"}.`);
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

function rejected(parts: CheckParts, tool: string, rule: string, reason: string): CheckVerdict {
  const measured = { paths: new Map(), files: new Map() };
  return checkVerdict({ tool, requests: [] }, refusal(rule, reason), { measured, source: "host", containment: parts.containment });
}
