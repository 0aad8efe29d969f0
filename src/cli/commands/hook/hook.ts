import { answerEvent } from "../../../app/foreign/answer-event.ts";
import { AgentError } from "../../../base/errors.ts";
import { AGENT_NAMES, DIALECTS, isAgentName } from "../../../foreign/dialects.ts";
import { ANSWERED } from "../../../foreign/hook-line.ts";

export type HookOptions = { policy: string; workspace?: string; shadow?: boolean; inLine?: boolean };

/** Longer events are denied unread: no agent sends them. */
const MAX_EVENT_BYTES = 32 * 1024 * 1024;
/** Below the limit of every agent, which would go on without an answer. */
const EVENT_TIMEOUT_MS = 5_000;

/** `warder hook AGENT`: answers the event on standard input in that agent's own way, exit code included. */
export async function hook(agent: string, options: HookOptions): Promise<number> {
  if (!isAgentName(agent))
    throw new AgentError("usage", `There is no hook for ${agent}. There are hooks for: ${AGENT_NAMES.join(", ")}.`, {
      remedy: "For example: warder hook claude-code",
    });
  const { policy, workspace = null, shadow: isShadow = false, inLine = false } = options;
  const text = await readEvent();
  const said = await answerEvent(text, { agent, dialect: DIALECTS[agent], policy, workspace, isShadow });
  process.stderr.write(said.stderr);
  process.stdout.write(said.stdout);
  if (!inLine) return said.exitCode;
  return said.exitCode === 0 ? ANSWERED.goOn : ANSWERED.block;
}

/** Standard input to its end. What is too long or does not end is cut, and then no JSON, so it is denied. */
async function readEvent(): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  const timer = setTimeout(() => process.stdin.destroy(), EVENT_TIMEOUT_MS);
  try {
    for await (const part of process.stdin as AsyncIterable<Buffer>) {
      bytes += part.length;
      if (bytes > MAX_EVENT_BYTES) return "";
      parts.push(part);
    }
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error) || error.code !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
    return "";
  } finally {
    clearTimeout(timer);
  }
  return new TextDecoder("utf-8", { fatal: false }).decode(Buffer.concat(parts));
}
