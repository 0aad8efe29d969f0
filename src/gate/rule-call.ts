import { appendAudit } from "../audit/audit-log.ts";
import type { ToolCall } from "../tools/tool.ts";
import { changesDigest } from "./changes-digest.ts";
import type { DecodedCall } from "./decoded-call.ts";
import { judge } from "./judgement.ts";
import { runsUnknownCode } from "./measured-paths.ts";
import type { GateState, RuledCall } from "./ruled-call.ts";
import type { CallOptions } from "./run-tool-call.ts";
import { profileDigest, rulingOf, rulingRecord, type Binding } from "./ruling.ts";

/** Rules on a decoded call and records the ruling. When it returns, the ruling is on disk. */
export async function ruleCall(gate: GateState, call: ToolCall, decoded: DecodedCall, options: CallOptions): Promise<RuledCall> {
  const { parts, bench } = gate;
  const wanted = decoded.tool.requests(decoded.input, parts.setting);
  const judgement = await judge(bench, decoded.tool.name, wanted);
  const binding = bindingOf(gate, decoded);
  // A person approves what they were shown: where nobody knows which files a command executes, all changes so far are bound.
  const isBoundToChanges = judgement.decision.verdict === "ask" && runsUnknownCode(judgement.call.requests);
  const changes = isBoundToChanges ? await changesDigest(parts.session) : null;
  const ruling = rulingOf(call, judgement.decision, binding, { measured: judgement.measured, changes });
  appendAudit(parts.audit, { run: parts.runId, payload: rulingRecord(ruling, binding, bench.source.measured) });
  return { gate, ruling, binding, judgement, wanted, changes, signal: options.signal, emit: options.emit };
}

function bindingOf(gate: GateState, decoded: DecodedCall): Binding {
  const { parts } = gate;
  const command = decoded.tool.requests(decoded.input, parts.setting).find((request) => request.kind === "command");
  return {
    tool: decoded.tool.name,
    input: decoded.input,
    cwd: command?.kind === "command" ? command.cwd : parts.setting.workspace,
    env: {},
    profile: profileDigest(parts.session),
    image: parts.session.imageDigest,
    policy: parts.policy.digest,
    run: parts.runId,
  };
}
