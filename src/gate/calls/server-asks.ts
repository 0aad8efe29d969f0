import { makeVisibleLine } from "../../base/text.ts";
import type { SampleEnd, SampleRequest, ServerAsksHandle } from "../../tools/contract/run-handles.ts";
import { resultText } from "../../tools/contract/tool.ts";
import type { RuledCall } from "../ruling/ruled-call.ts";
import type { Progress } from "./progress.ts";

/** Of a server's text, what a person is shown before a model reads it. */
const MAX_SHOWN = 1_200;
const NOBODY = "nobody can be asked at once in this run";
const YES = "yes";

/**
 * What an MCP server asks for while it does a call: a call of `ask_user` that is judged, asked and recorded by itself. Only a person who is there is asked: a
 * call that waited for days would be made again from its beginning.
 */
export function serverAsksHandle(call: RuledCall, progress: Progress): ServerAsksHandle {
  const { gate, ruling } = call;
  let asked = 0;
  const question: ServerAsksHandle["question"] = async (text, choices) => {
    const no = (problem: string): { readonly problem: string; readonly isRefused: false } => ({ problem, isRefused: false });
    if (progress.isOver) return no("the call has ended");
    if (gate.parts.ofServers?.has(ruling.tool) !== true) return no("only the tools of MCP servers ask in this way");
    if (gate.parts.asking !== "wait") return no(NOBODY);
    const id = `${ruling.callId}.${String(asked)}`;
    asked += 1;
    const input = { question: text, ...(choices.length === 0 ? {} : { choices }) };
    const going = gate.nested({ id, name: "ask_user", input }, { signal: call.signal, emit: call.emit });
    progress.pending.add(going);
    try {
      const { kind, result } = await going;
      const words = result.details?.["words"];
      if (kind === "executed" && !result.isError && typeof words === "string") return { words };
      return { problem: makeVisibleLine(resultText(result).slice(0, 300)), isRefused: kind === "refused" };
    } catch (error) {
      progress.fault ??= error;
      return no("Warder failed while it asked");
    } finally {
      progress.pending.delete(going);
    }
  };
  return {
    question,
    sample: async (request, { server, tool }): Promise<SampleEnd> => {
      if (call.sample === undefined) return { problem: "no model belongs to this run" };
      const said = await question(consentText(request, server, tool), [YES, "no"]);
      if ("problem" in said) return said;
      if (said.words.trim().toLowerCase() !== YES) return { problem: "a person did not agree" };
      try {
        return await call.sample(request, call.signal);
      } catch (error) {
        progress.fault ??= error;
        return { problem: "Warder failed while it asked a model" };
      }
    },
  };
}

/** What a person says yes to. Warder's words come first, the server's behind them. */
function consentText({ system, messages, maxTokens }: SampleRequest, server: string, tool: string): string {
  const whole = [...(system === null ? [] : [`system: ${system}`]), ...messages.map(({ role, text }) => `${role}: ${text}`)].join(" | ");
  const shown = makeVisibleLine(whole.slice(0, MAX_SHOWN)).slice(0, MAX_SHOWN).replaceAll('"', "'");
  const rest = whole.length > MAX_SHOWN ? ` [and ${String(whole.length - MAX_SHOWN)} more characters]` : "";
  return `May the MCP server ${server} have a model of this run write for it, while it does ${tool}? That is paid from this run's budget: it reads ${String(whole.length)} characters and writes at most ${String(maxTokens)} tokens. The model sees nothing of this run, and what it writes goes to that server. The server's text for it: "${shown}"${rest}`;
}
