import type { ModelEvent, ModelRequest } from "../../src/providers/contract/provider.ts";
import { parseScript, type Script } from "../../src/providers/scripted/script.ts";

/** A script from plain data, as a file would hold it. */
export function script(protocol: "anthropic" | "openai", turns: readonly unknown[]): Script {
  return parseScript({ protocol, turns }, "script.yaml");
}

export async function collect(events: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const collected: ModelEvent[] = [];
  for await (const event of events) collected.push(event);
  return collected;
}

export function textOf(events: readonly ModelEvent[]): string {
  return events.map((event) => (event.kind === "text-delta" ? event.text : "")).join("");
}

export const SHELL = {
  name: "shell",
  description: "Runs a command.",
  inputSchema: { type: "object", properties: { command: { type: "string" } }, required: ["command"], additionalProperties: false },
};

/** The first request of a conversation. */
export const FIRST_REQUEST: ModelRequest = { system: "You are a test.", messages: [{ kind: "user", text: "Go." }], tools: [SHELL] };
