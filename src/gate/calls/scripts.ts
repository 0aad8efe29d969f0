import type { ScriptEnd, ScriptsHandle } from "../../tools/contract/tool.ts";
import { SCRIPT } from "../../tools/run/script.ts";
import type { RunScript } from "../gate.ts";
import type { RuledCall } from "../ruling/ruled-call.ts";
import type { Progress } from "./progress.ts";

/** The script of one call, of the tool for scripts alone. A fault ends the run, as one of any action does. */
export function scriptsHandle(call: RuledCall, progress: Progress): ScriptsHandle {
  const notStarted = (reason: string): ScriptEnd => ({ kind: "not-started", reason });
  let hasBegun = false;
  return {
    run: async (program) => {
      if (progress.isOver) return notStarted("Not started: the call has ended.");
      if (call.ruling.tool !== SCRIPT || hasBegun) return notStarted("Not started: the call did not ask for this script.");
      if (call.runScript === undefined) return notStarted("Not started: there are no scripts here.");
      hasBegun = true;
      const { signal, emit, ruling } = call;
      const recall: Parameters<RunScript>[1]["recall"] = ({ labels, seen }) => {
        call.gate.labels.add(labels);
        for (const [path, hash] of seen) call.gate.seen.set(path, hash);
      };
      const going = call.runScript(program, { callId: ruling.callId, signal, emit, recall });
      progress.pending.add(going);
      try {
        const { end, work, labels } = await going;
        progress.labels.push(...labels);
        if (work !== null) progress.delegated.push(work);
        if (end.kind === "parked") progress.parkedOn = end.approvalId;
        return end;
      } catch (error) {
        progress.fault ??= error;
        return notStarted("Warder failed while it ran the script.");
      } finally {
        progress.pending.delete(going);
      }
    },
  };
}
