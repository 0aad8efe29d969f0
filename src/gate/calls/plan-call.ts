import { canonicalJson } from "../../base/digest.ts";
import type { Tool, ToolCall, ToolRequest } from "../../tools/contract/tool.ts";
import { DEFAULT_TRAITS, type IdentityPolicy } from "../../tools/contract/traits.ts";
import { decodeInput } from "../../tools/decode.ts";
import type { CallPlan, PathScope } from "../gate.ts";
import type { GateParts } from "../gate-parts.ts";

/** What is known of a call before it is judged: nothing is measured, recorded or decided. Null: it names no tool. */
export function planCall({ tools, setting }: Pick<GateParts, "tools" | "setting">, call: ToolCall): CallPlan | null {
  const tool = tools.find(call.name);
  if (tool === undefined) return null;
  const decoded = decodeInput(tool, call.input);
  // It will be answered without being run.
  if (decoded.kind === "invalid") return { tool: tool.name, traits: tool.traits, reads: [], writes: [], identity: `${tool.name} ${canonicalJson(call.input)}` };
  try {
    const requests = tool.requests(decoded.input, setting);
    const reads = requests.flatMap((request): readonly PathScope[] =>
      request.kind === "read" ? [{ path: request.path, isRecursive: request.isRecursive }] : [],
    );
    return { tool: tool.name, traits: tool.traits, reads, writes: writesOf(requests), identity: identityOf(tool, decoded.input) };
  } catch (error) {
    // A fault of the tool's own is the gate's to answer. Until then it runs beside nothing.
    void error;
    return { tool: tool.name, traits: DEFAULT_TRAITS, reads: [], writes: [], identity: `${tool.name} ${canonicalJson(call.input)}` };
  }
}

function writesOf(requests: readonly ToolRequest[]): readonly PathScope[] {
  return requests.flatMap((request) => (request.kind === "write" ? [{ path: request.path, isRecursive: false }] : []));
}

function identityOf({ name, traits }: Tool, input: unknown): string {
  return `${name} ${identityIn(traits.identity, input)}`;
}

function identityIn(policy: IdentityPolicy, input: unknown): string {
  if (policy.kind === "function") return policy.of(input);
  if (policy.kind === "arguments") return canonicalJson(input);
  const read = (argument: string | undefined): unknown => (argument === undefined ? undefined : (input as Readonly<Record<string, unknown>>)[argument]);
  return canonicalJson({ operation: read(policy.operationArgument) ?? "default", target: read(policy.targetArgument) ?? null });
}
