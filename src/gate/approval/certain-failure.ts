import { openApproval } from "../../approvals/approval.ts";
import type { RuledCall } from "../ruling/ruled-call.ts";
import { foreseenChange } from "./file-change.ts";

/**
 * Why the tool itself would leave its file alone, whatever a person says: then nobody is asked. Null if that is not certain; if the answer would tell of a
 * file that the model may not read unasked; and if a question about the call is open already.
 */
export async function certainFailure(call: RuledCall): Promise<string | null> {
  const { gate, ruling, binding, judgement } = call;
  const rewrite = gate.parts.tools.find(ruling.tool)?.rewrites?.(binding.input, gate.parts.setting);
  if (rewrite === undefined || ruling.decision.units.some(({ unit, verdict }) => verdict !== "allow" && unit.kind !== "writes")) return null;
  if (openApproval(gate.approvals, gate.parts.runId, ruling.callId, ruling.digest) !== null) return null;
  const { path, refuses } = rewrite;
  const refusal = refuses?.(judgement.measured.files.get(path) ?? null, gate.seen.get(path)) ?? null;
  if (refusal !== null) return refusal;
  const { problem } = await foreseenChange(call);
  return problem === null ? null : `It would come to nothing: ${problem}. Read the file, then try again.`;
}
