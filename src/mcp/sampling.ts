import type { SampleRequest } from "../tools/contract/run-handles.ts";

/** Of all that a server wants read: a person is to see what it is about. */
const MAX_TEXT = 20_000;
const MAX_MESSAGES = 20;
/** What an answer costs at most, whatever the server asks for. */
const MAX_TOKENS = 4_096;

type Values = Readonly<Record<string, unknown>>;
const valuesOf = (value: unknown): Values => (typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Values) : {});

/**
 * Reads `sampling/createMessage`: texts alone. Or why no model is asked, as a clause. What the server wants beside them is not looked at: tools, which model, and
 * the context of the run, none of which it is given. Total on any values.
 */
export function readSampling(params: unknown): SampleRequest | { readonly reason: string } {
  const { messages, systemPrompt, maxTokens } = valuesOf(params);
  if (!Array.isArray(messages) || messages.length === 0 || messages.length > MAX_MESSAGES)
    return { reason: `it gives no list of at most ${String(MAX_MESSAGES)} messages` };
  const read = (messages as unknown[]).map(readMessage);
  const spoken = read.filter((each) => each !== null);
  if (spoken.length < read.length) return { reason: "it gives something that is no text" };
  if (spoken.at(-1)?.role !== "user") return { reason: "its last message is not the user's" };
  const system = typeof systemPrompt === "string" ? systemPrompt.toWellFormed() : null;
  const length = spoken.reduce((sum, { text }) => sum + text.length, system?.length ?? 0);
  if (length > MAX_TEXT) return { reason: `its text is longer than ${String(MAX_TEXT)} characters` };
  const wanted = typeof maxTokens === "number" && Number.isInteger(maxTokens) && maxTokens > 0 ? maxTokens : MAX_TOKENS;
  return { system, messages: spoken, maxTokens: Math.min(wanted, MAX_TOKENS) };
}

function readMessage(message: unknown): SampleRequest["messages"][number] | null {
  const { role, content } = valuesOf(message);
  const parts = Array.isArray(content) ? (content as unknown[]) : [content];
  const texts = parts.map((part) => {
    const { type, text } = valuesOf(part);
    return type === "text" && typeof text === "string" ? text.toWellFormed() : null;
  });
  if ((role !== "user" && role !== "assistant") || texts.length === 0 || texts.includes(null)) return null;
  return { role, text: texts.join("\n") };
}
