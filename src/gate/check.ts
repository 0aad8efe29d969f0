import type { Clock } from "../base/clock.ts";
import { makeVisibleLine } from "../base/text.ts";
import type { Decision } from "../policy/decision.ts";
import type { Label } from "../policy/label.ts";
import type { CommandHook } from "../policy/hook.ts";
import { toolMatcher } from "../policy/language/tool-patterns.ts";
import type { Policy } from "../policy/policy.ts";
import type { CallRequest } from "../policy/request.ts";
import { isNamedBy } from "../tools/availability.ts";
import { decodeInput } from "../tools/decode.ts";
import { isSystemText, MAX_COMMAND_CHARACTERS, shellRequest } from "../tools/contract/command.ts";
import type { ToolRequest, ToolSetting } from "../tools/contract/tool.ts";
import type { ToolSource } from "./gate-parts.ts";
import { hostFacts } from "./facts/host-facts.ts";
import { judge, type Bench, type Judgement } from "./ruling/judge.ts";
import { NOTHING_MEASURED } from "./facts/measure.ts";
import { refusal } from "./ruling/refusal.ts";
import { checkVerdict, type CheckVerdict } from "./check-verdict.ts";

const SHELL = "shell";

/** What a verdict without a session needs. */
export type CheckParts = {
  readonly policy: Policy;
  readonly tools: ToolSource;
  readonly setting: ToolSetting;
  readonly containment: "profile" | "none";
  readonly ownPaths: readonly string[];
  readonly clock: Clock;
  /** Of what the model would have been given by then; absent: nobody knows. */
  readonly labels?: readonly Label[];
  /** How often rules with a limit would have been used by then, by their ids; absent: no run counts, so none was. */
  readonly uses?: ReadonlyMap<string, number>;
  /** Absent: no state is consulted, and the verdict is about the policy alone. */
  readonly state?: { isStopped(): boolean; actionsLeft(): number | null; asksLeft(): number | null; uses(): ReadonlyMap<string, number> };
};

/**
 * What would be decided about a command text in the workspace. Nothing runs, nothing is recorded. The same as the call of the tool
 * `shell` with that command; without the tool's schema, which takes longer to load than the decision takes.
 */
export async function checkCommand(parts: CheckParts, command: string): Promise<CheckVerdict> {
  return (await examineCommand(parts, command)).verdict;
}

/** A verdict, and everything that it rests on. */
export type Examined = { readonly verdict: CheckVerdict; readonly judgement: Judgement };

/** What {@link checkCommand} says, with what it rests on. */
export async function examineCommand(parts: CheckParts, command: string): Promise<Examined> {
  const bench = benchOf(parts);
  if (isSystemText(command, MAX_COMMAND_CHARACTERS))
    return await examine(
      bench,
      judgeWanted(bench, SHELL, () => [shellRequest(command, ".", parts.setting)]),
    );
  return await examine(bench, judgeCallOn(bench, parts.tools, { name: SHELL, input: { command } }));
}

/** What {@link checkRequest} says, with what it rests on. */
export async function examineRequest(parts: CheckParts, tool: string, request: ToolRequest): Promise<Examined> {
  const bench = benchOf(parts);
  return await examine(
    bench,
    judgeWanted(bench, tool, () => [request]),
  );
}

/** A denial by a rule of the gate's own, of a call that is not looked at. */
export function refuseUnseen(parts: CheckParts, rule: string, reason: string): CheckVerdict {
  return refuseOn(benchOf(parts), rule, reason);
}

async function examine(bench: Bench, judging: Promise<Judgement>): Promise<Examined> {
  const judgement = await judging;
  return { verdict: verdictOf(bench, judgement), judgement };
}

/** What would be decided about a tool call. An unknown tool or argument is denied, as a run would refuse it. */
export async function checkCall(parts: CheckParts, call: { readonly name: string; readonly input: unknown }): Promise<CheckVerdict> {
  return await checkCallOn(benchOf(parts), parts.tools, call);
}

/** The same by what a run measures and knows. */
export async function checkCallOn(bench: Bench, tools: ToolSource, call: { readonly name: string; readonly input: unknown }): Promise<CheckVerdict> {
  return verdictOf(bench, await judgeCallOn(bench, tools, call));
}

/** What would be decided about one request of a tool, as a call of it would state it. */
export async function checkRequest(parts: CheckParts, tool: string, request: ToolRequest): Promise<CheckVerdict> {
  return await checkRequests(parts, tool, [request]);
}

/** The same about all that a call asks for. */
export async function checkRequests(parts: CheckParts, tool: string, requests: readonly ToolRequest[]): Promise<CheckVerdict> {
  const bench = benchOf(parts);
  return verdictOf(bench, await judgeWanted(bench, tool, () => requests));
}

/** The answer to what is no question about a call, or about one whose arguments cannot be read: a denial, for the reason given. */
export function refuseQuestion(parts: CheckParts, reason: string, tool = ""): CheckVerdict {
  return refuseOn(benchOf(parts), "invalid-arguments", reason, tool);
}

/** A denial by a rule of the gate's own, of what is not looked at. */
export function refuseOn(bench: Bench, rule: string, reason: string, tool = ""): CheckVerdict {
  return verdictOf(bench, rejected(tool, rule, reason));
}

/** Which hooks of a policy a run asks before a call of a tool that is not denied anyway. Nothing is run here. */
export function hooksBefore({ hooks = [] }: Policy, { tool }: Pick<CallRequest, "tool">, { verdict }: Pick<Decision, "verdict">): readonly string[] {
  if (verdict === "deny") return [];
  const isBefore = ({ on }: CommandHook): boolean => on.includes("before-tool") || (verdict === "ask" && on.includes("ask"));
  return hooks.flatMap((hook) => (isBefore(hook) && (hook.tools === null || toolMatcher(hook.tools)(tool)) ? [hook.id] : []));
}

function verdictOf({ policy, containment, source }: Bench, { call, decision, measured }: Judgement): CheckVerdict {
  return checkVerdict(call, decision, { measured, source: source.measured, containment, hooks: hooksBefore(policy, call, decision) });
}

/** The same with everything that the verdict rests on. A call that is refused before it is read has no requests and no units. */
export async function judgeCall(parts: CheckParts, call: { readonly name: string; readonly input: unknown }): Promise<Judgement> {
  return await judgeCallOn(benchOf(parts), parts.tools, call);
}

async function judgeCallOn(bench: Bench, tools: ToolSource, call: { readonly name: string; readonly input: unknown }): Promise<Judgement> {
  const tool = tools.find(call.name);
  if (tool === undefined) return rejected(call.name, "unknown-tool", `Tool not found: ${makeVisibleLine(call.name).slice(0, 200)}.`);
  const needsName = tool.needs?.some(({ kind }) => kind === "named") === true;
  if (needsName && !isNamedBy(bench.policy, tool.name))
    return rejected(tool.name, "tool-not-named", `The policy does not name ${tool.name} in tools.allow, and \`*\` is not enough for it.`);
  const decoded = decodeInput(tool, call.input);
  if (decoded.kind === "invalid") return rejected(tool.name, "invalid-arguments", decoded.message);
  return await judgeWanted(bench, tool.name, () => tool.requests(decoded.input, bench.setting));
}

async function judgeWanted(bench: Bench, tool: string, wanted: () => readonly ToolRequest[]): Promise<Judgement> {
  try {
    return await judge(bench, tool, wanted());
  } catch (error) {
    // Fail closed: what cannot be judged is denied, and says so.
    return rejected(tool, "gate-fault", `It could not be judged: ${error instanceof Error ? error.message : "unknown fault"}.`);
  }
}

function benchOf(parts: CheckParts): Bench {
  const { state } = parts;
  return {
    policy: parts.policy,
    setting: parts.setting,
    source: hostFacts(
      parts.policy.workspace.roots.map((root) => root.path),
      parts.containment,
    ),
    containment: parts.containment,
    isSandboxReady: true,
    ownPaths: parts.ownPaths,
    clock: parts.clock,
    isStopped: () => state?.isStopped() ?? false,
    isNetworkStopped: () => false,
    actionsLeft: () => state?.actionsLeft() ?? null,
    asksLeft: () => state?.asksLeft() ?? null,
    uses: () => state?.uses() ?? parts.uses ?? null,
    labels: () => parts.labels ?? null,
  };
}

function rejected(tool: string, rule: string, reason: string): Judgement {
  return { call: { tool, requests: [] }, decision: refusal(rule, reason), measured: NOTHING_MEASURED };
}
