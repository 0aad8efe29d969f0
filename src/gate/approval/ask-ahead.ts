import { openApproval, rememberedAnswer } from "../../approvals/approval.ts";
import { countsAsAction } from "../../policy/deciding/evaluate.ts";
import { decodeInput } from "../../tools/decode.ts";
import type { ToolCall } from "../../tools/contract/tool.ts";
import { confirmationOf } from "./card.ts";
import { certainFailure } from "./certain-failure.ts";
import { coveredBy } from "./grant-coverage.ts";
import { grantsFor } from "./job-call.ts";
import { judgeCall } from "../ruling/rule-call.ts";
import type { RuledCall } from "../ruling/ruled-call.ts";
import { callDigest } from "../ruling/ruling.ts";

/** More questions than a person answers in one go. */
const MAX_AHEAD = 16;

/**
 * The later calls of this turn that would be asked about as things stand: a person sees them together. Nothing is recorded or decided: each is
 * ruled on again when its turn comes, and asked anew if something changed. A call that runs code is left out behind a call that changes files:
 * it is bound to all that code could load, so its approval would be void. So is a change of a file that a call before it changes.
 */
export async function askedBehind(call: RuledCall): Promise<readonly RuledCall[]> {
  const found: RuledCall[] = [];
  const digests = new Set([call.ruling.digest]);
  const written = new Set(writtenBy(call));
  let changes = countsAsAction(call.gate.parts.policy, call.ruling.decision);
  for (const following of call.following) {
    if (found.length >= MAX_AHEAD || call.signal.aborted) break;
    // It ran, or runs, beside this one.
    if (call.gate.settled.has(following.id)) continue;
    const ruled = await judgedAhead(call, following);
    if (ruled === null || ruled.ruling.decision.verdict === "deny") continue;
    const isAsked =
      ruled.ruling.decision.verdict === "ask" && !(ruled.bound !== null && changes) && !digests.has(ruled.ruling.digest) && !bindsOneOf(ruled, written);
    // What the tool itself would leave alone is nobody's to answer; its turn may find it otherwise.
    if (isAsked && !isSettled(ruled) && (await certainFailure(ruled)) === null) found.push(ruled);
    digests.add(ruled.ruling.digest);
    for (const path of writtenBy(ruled)) written.add(path);
    changes ||= countsAsAction(call.gate.parts.policy, ruled.ruling.decision);
  }
  return found;
}

function writtenBy({ judgement }: RuledCall): readonly string[] {
  return judgement.call.requests.flatMap((request) => (request.kind === "write" ? [request.path] : []));
}

function bindsOneOf({ judgement }: RuledCall, written: ReadonlySet<string>): boolean {
  return [...judgement.measured.files.keys()].some((path) => written.has(path));
}

/** Null for a call that will be rejected: an unknown tool, or arguments that do not decode. */
async function judgedAhead({ gate, signal, emit }: RuledCall, call: ToolCall): Promise<RuledCall | null> {
  const tool = gate.parts.tools.find(call.name);
  const decoded = tool === undefined ? null : decodeInput(tool, call.input);
  if (tool === undefined || decoded?.kind !== "valid") return null;
  // A hook is asked first, when its turn comes.
  if (gate.hooks.at("beforeTool", tool.name).length > 0 || gate.hooks.at("beforeAsk", tool.name).length > 0) return null;
  return await judgeCall(gate, call, { kind: "decoded", tool, input: decoded.input }, { signal, emit });
}

/** Whether a person has settled it already, or is being asked. */
function isSettled(call: RuledCall): boolean {
  const { gate, ruling } = call;
  if (openApproval(gate.approvals, gate.parts.runId, ruling.callId, ruling.digest) !== null) return true;
  if (rememberedAnswer(gate.approvals, gate.parts.runId, ruling.digest, callDigest(call.binding)) !== null) return true;
  return !confirmationOf(call).needsCode && coveredBy(call, grantsFor(call)) !== null;
}
