import type { ServerAsksHandle } from "../tools/contract/run-handles.ts";
import { makeVisibleLine } from "../base/text.ts";
import { fieldText, readForm, valueOf, type Form } from "./elicitation.ts";
import { readSampling } from "./sampling.ts";

/** What a server asks for while it does a call. */
export type Asked = { readonly method: string; readonly params: unknown };

/** Answers what a server asks for in one call, as the protocol has it. Rejects with {@link AskRefused} where there is no such answer. */
export type Answerer = (asked: Asked) => Promise<Readonly<Record<string, unknown>>>;

/** `code`: of the protocol. */
export class AskRefused extends Error {
  readonly code: number;
  constructor(why: string, code: number) {
    super(why);
    this.code = code;
  }
}

const UNKNOWN_METHOD = -32601;
/** The protocol's own for a person who refuses sampling. */
const REFUSED = -1;

/** Of one call. A server that asks more is tiring somebody out. */
const MAX_ASKED = 8;
/** What a person typed is not always what was asked for. */
const MAX_TRIES = 2;

export const CAN_ASK = { elicitation: { form: {} }, sampling: {} } as const;

type Place = {
  readonly server: string;
  readonly tool: string;
  readonly asks: ServerAsksHandle;
  /** What came of it, for the log: without the words. */
  readonly onAsked: (what: string) => void;
};

/** One after the other, however many the server sends at once. */
export function answererOf(place: Place): Answerer {
  let count = 0;
  let last: Promise<unknown> = Promise.resolve();
  return async (asked) => {
    count += 1;
    if (count > MAX_ASKED) throw new AskRefused(`a call asks for at most ${String(MAX_ASKED)} things`, REFUSED);
    const mine = last.then(() => answer(place, asked));
    last = mine.catch(() => undefined);
    return await mine;
  };
}

async function answer(place: Place, { method, params }: Asked): Promise<Readonly<Record<string, unknown>>> {
  if (method === "elicitation/create") return await elicit(place, params);
  if (method === "sampling/createMessage") return await sample(place, params);
  throw new AskRefused("Method not found", UNKNOWN_METHOD);
}

type Elicited = { readonly action: "accept"; readonly content: Readonly<Record<string, unknown>> } | { readonly action: "decline" | "cancel" };

/** A person's no is `decline`; where they were not asked, or did not answer, it is `cancel`. */
async function elicit(place: Place, params: unknown): Promise<Elicited> {
  const form = readForm(params);
  if ("reason" in form) {
    place.onAsked(`its question was not put to anybody: ${form.reason}`);
    return { action: "decline" };
  }
  const content: Record<string, unknown> = {};
  for (const [index, field] of form.fields.entries()) {
    const value = await fieldOf(place, form, index);
    if ("action" in value) return value;
    if (value.value !== undefined) content[field.name] = value.value;
  }
  if (form.fields.length === 0) {
    const said = await put(place, questionText(place, form, "Do you agree? (yes or no)"), ["yes", "no"]);
    if ("action" in said) return said;
    if (said.words.trim().toLowerCase() !== "yes") return { action: "decline" };
  }
  place.onAsked("a person answered its question");
  return { action: "accept", content };
}

async function fieldOf(place: Place, form: Form, index: number): Promise<{ readonly value: unknown } | Exclude<Elicited, { action: "accept" }>> {
  const field = form.fields[index] as Form["fields"][number];
  const { text, choices } = fieldText(field);
  const at = form.fields.length === 1 ? "" : ` (${String(index + 1)} of ${String(form.fields.length)})`;
  let before = "";
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const said = await put(place, questionText(place, form, `${before}It wants to know${at}: ${text}`), choices);
    if ("action" in said) return said;
    const read = valueOf(field, said.words);
    if ("value" in read) return read;
    before = `Your answer was not sent: ${read.problem}. `;
  }
  place.onAsked("its question was answered with nothing that could be sent");
  return { action: "cancel" };
}

async function put(
  { asks, onAsked }: Place,
  text: string,
  choices: readonly string[],
): Promise<{ readonly words: string } | { readonly action: "decline" | "cancel" }> {
  const said = await asks.question(text, choices);
  if ("words" in said) return said;
  onAsked(`its question was not answered: ${said.problem}`);
  return { action: said.isRefused ? "decline" : "cancel" };
}

/** Whose words are whose is said first: what the server says comes last but the field, in quotes. */
function questionText({ server, tool }: Pick<Place, "server" | "tool">, { message }: Form, field: string): string {
  return `The MCP server ${server} asks you this while it does ${tool}. Your answer goes to that server: give it no password, key or code. Its words: "${message}"\n${field}`;
}

async function sample({ server, tool, asks, onAsked }: Place, params: unknown): Promise<Readonly<Record<string, unknown>>> {
  const request = readSampling(params);
  const why = "reason" in request ? request.reason : null;
  const made = "reason" in request ? { problem: request.reason } : await asks.sample(request, { server, tool });
  if ("problem" in made) {
    onAsked(`no model was asked for it: ${made.problem}`);
    throw new AskRefused(why ?? makeVisibleLine(made.problem), REFUSED);
  }
  onAsked("a model answered it");
  const { text, model, isWhole } = made;
  return { role: "assistant", content: { type: "text", text }, model, stopReason: isWhole ? "endTurn" : "maxTokens" };
}
