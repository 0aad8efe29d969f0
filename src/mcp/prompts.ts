import { makeVisible, makeVisibleLine } from "../base/text.ts";
import type { Connection } from "./connection.ts";

/** A text that a server has for a person's model. All words are visible, and the server's. */
export type Prompt = {
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly description: string; readonly isRequired: boolean }[];
};

const MAX_PROMPTS = 200;
const MAX_PAGES = 10;
const MAX_ARGUMENTS = 20;
const MAX_WORDS = 300;
const MAX_VALUE = 4_000;
/** Of the text: a task is read whole by its model. */
const MAX_TEXT = 40_000;
const MAX_MESSAGES = 50;
/** As a person types it behind a slash. */
const NAME = /^[\w.-]{1,100}$/u;
const ARGUMENT = /^[\w.-]{1,64}$/u;

type Values = Readonly<Record<string, unknown>>;
type Within = { readonly signal: AbortSignal; readonly timeoutMs: number };
const valuesOf = (value: unknown): Values => (typeof value === "object" && value !== null ? (value as Values) : {});
const wordsOf = (value: unknown): string => (typeof value === "string" ? makeVisibleLine(value.toWellFormed()).slice(0, MAX_WORDS) : "");

/** The prompts of a server that a person can name; others are left out. */
export async function listPrompts(connection: Connection, within: Within): Promise<readonly Prompt[]> {
  const found: Prompt[] = [];
  let cursor: unknown;
  for (let pages = 0; pages < MAX_PAGES && found.length < MAX_PROMPTS; pages += 1) {
    const page = await connection.look({ method: "prompts/list", params: typeof cursor === "string" ? { cursor } : {} }, within);
    if (Array.isArray(page["prompts"])) found.push(...(page["prompts"] as unknown[]).slice(0, MAX_PROMPTS).flatMap(readPrompt));
    cursor = page["nextCursor"];
    if (typeof cursor !== "string") break;
  }
  return found.slice(0, MAX_PROMPTS);
}

function readPrompt(listed: unknown): readonly Prompt[] {
  const { name, title, description, arguments: wanted } = valuesOf(listed);
  if (typeof name !== "string" || !NAME.test(name)) return [];
  const all = Array.isArray(wanted) ? (wanted as unknown[]).slice(0, MAX_ARGUMENTS).map(valuesOf) : [];
  const named = all.flatMap((each) =>
    typeof each["name"] === "string" && ARGUMENT.test(each["name"])
      ? [{ name: each["name"], description: wordsOf(each["description"]), isRequired: each["required"] === true }]
      : [],
  );
  return [{ name, description: wordsOf(description ?? title), arguments: named }];
}

/** What is wrong with what a person gives to a prompt, as a clause; null: nothing is. */
export function givenFault({ arguments: wanted }: Prompt, given: Readonly<Record<string, string>>): string | null {
  const unknown = Object.keys(given).find((key) => !wanted.some(({ name }) => name === key));
  if (unknown !== undefined) return `it takes no ${JSON.stringify(unknown.slice(0, 64))}`;
  const missing = wanted.find(({ name, isRequired }) => isRequired && !Object.hasOwn(given, name));
  if (missing !== undefined) return `it wants ${missing.name}`;
  return Object.values(given).some((value) => value.length > MAX_VALUE) ? `a value has at most ${String(MAX_VALUE)} characters` : null;
}

/** The text of a prompt, visible. Throws where it is none, or more than a task may be. */
export async function promptText(connection: Connection, name: string, given: Readonly<Record<string, string>>, within: Within): Promise<string> {
  const { messages } = await connection.look({ method: "prompts/get", params: { name, arguments: given }, name }, within);
  if (!Array.isArray(messages) || messages.length === 0 || messages.length > MAX_MESSAGES) throw new Error("its prompt has no messages that can be read");
  const texts = (messages as unknown[]).map((message) => {
    const { role, content } = valuesOf(message);
    const { type, text, resource } = valuesOf(content);
    const words = type === "text" ? text : type === "resource" ? valuesOf(resource)["text"] : undefined;
    if (typeof words !== "string") throw new Error("its prompt holds something that is no text");
    return role === "assistant" ? `The model's part: ${words}` : words;
  });
  const whole = makeVisible(texts.join("\n\n").toWellFormed()).trim();
  if (whole === "" || whole.length > MAX_TEXT) throw new Error(`its prompt is no text of at most ${String(MAX_TEXT)} characters`);
  return whole;
}
