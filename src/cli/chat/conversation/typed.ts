import { makeVisible } from "../../../base/text.ts";

/** What can be typed behind a slash, with what it does. `words`: what may stand behind it. */
export const ORDERS = {
  changes: { words: "[diff]", does: "what the run changed, or the diff of it" },
  apply: { words: "", does: "review the changes, and land them with one key" },
  undo: { words: "", does: "take the last landing or discard back" },
  later: { words: "TEXT", does: "say it when the model is done, not in between" },
  policy: { words: "", does: "the policy in force and what it allows" },
  cost: { words: "", does: "turns, tokens and money of this run" },
  resume: { words: "[RUN]", does: "the runs of this workspace, or go on with one" },
  new: { words: "", does: "begin another run with the next message" },
  help: { words: "", does: "this list" },
  quit: { words: "", does: "leave; the run can be gone on with" },
} as const;

export type OrderName = keyof typeof ORDERS;

/** What a person meant by what they typed. */
export type Typed =
  | { readonly kind: "nothing" }
  | { readonly kind: "message"; readonly text: string }
  | { readonly kind: "order"; readonly name: OrderName; readonly rest: string }
  /** A prompt of an MCP server; an empty name: those that there are. */
  | { readonly kind: "prompt"; readonly server: string; readonly prompt: string; readonly values: readonly string[] }
  | { readonly kind: "unknown-order"; readonly name: string };

/** One slash and a word is an order; two slashes say a message that begins with one. A path is a message. */
export function readTyped(text: string): Typed {
  const said = text.trim();
  if (said === "") return { kind: "nothing" };
  if (said.startsWith("//")) return { kind: "message", text: said.slice(1) };
  const { server, prompt = "", values = "" } = /^\/(?<server>[a-z][a-z0-9_]{0,23}):(?<prompt>[\w.-]{0,100})(?:\s+(?<values>[^]*))?$/u.exec(said)?.groups ?? {};
  if (server !== undefined) return { kind: "prompt", server, prompt, values: wordsIn(values) };
  const found = /^\/(?<name>[a-z]+)(?:\s+(?<rest>[^]*))?$/u.exec(said)?.groups;
  if (found === undefined) return { kind: "message", text: said };
  const name = found["name"] ?? "";
  return isOrder(name) ? { kind: "order", name, rest: (found["rest"] ?? "").trim() } : { kind: "unknown-order", name };
}

/** Words as a person separates them: what stands in quotes is one. */
function wordsIn(text: string): readonly string[] {
  return [...text.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/gu)].map(([word]) => word.replaceAll(/"([^"]*)"|'([^']*)'/gu, "$1$2"));
}

function isOrder(name: string): name is OrderName {
  return Object.hasOwn(ORDERS, name);
}

const PASTE = /^\u001b\[200~(?<text>[^]*)\u001b\[201~$/u;

/** Keys as they may go to the line: what is pasted may be anybody's, and no character of it that steers a terminal is shown as it is. */
export function safeKeys(keys: string): string {
  const pasted = pastedText(keys);
  if (pasted !== null) return asPaste(makeVisible(pasted.replaceAll(/\r\n?/gu, "\n")));
  return /^[\u0000-\u001f\u007f]/u.test(keys) ? keys : makeVisible(keys);
}

export const asPaste = (text: string): string => `\u001b[200~${text}\u001b[201~`;

/** What is pasted, without the marks of the terminal; null: these keys were typed. */
export function pastedText(keys: string): string | null {
  return PASTE.exec(keys)?.groups?.["text"] ?? null;
}

const FILE = String.raw`(?:'[^'\n]+\.(?:png|jpe?g|gif|webp)'|"[^"\n]+\.(?:png|jpe?g|gif|webp)"|(?!\()(?:\\.|[^\s\\'"])+\.(?:png|jpe?g|gif|webp))`;
const IMAGE = new RegExp(String.raw`(?<![^\s(])(?<at>@?)(?<file>${FILE})(?=[.,;:!?)]*(?:\s|$))`, "giu");
const LONE = new RegExp(`^${FILE}$`, "iu");

/** A name of a file as it was typed, without quotes and backslashes. */
function bare(file: string): string {
  return /^['"]/u.test(file) ? file.slice(1, -1) : file.replaceAll(/\\(.)/gu, "$1");
}

/** The images that a message names: those to be sent stand behind an @. */
export function imageNames(text: string): { readonly given: readonly string[]; readonly mentioned: readonly string[] } {
  const names = [...text.matchAll(IMAGE)].map(({ groups = {} }) => ({ isGiven: groups["at"] === "@", name: bare(groups["file"] ?? "") }));
  return {
    given: names.flatMap(({ isGiven, name }) => (isGiven ? [name] : [])),
    mentioned: names.flatMap(({ isGiven, name }) => (isGiven ? [] : [name])),
  };
}

/** The file that a paste is, as a terminal names one that is dropped on it; null: it is anything else. */
export function pastedImage(pasted: string): string | null {
  const text = pasted.trim();
  return LONE.test(text) ? bare(text) : null;
}

/** A file, as it is named in a message to be sent with it. */
export function givenName(name: string): string {
  if (!/[\s\\'"]/u.test(name)) return `@${name}`;
  return name.includes('"') ? `@'${name}'` : `@"${name}"`;
}

/** A line for each order. */
export function helpLines(): readonly string[] {
  return [
    ...Object.entries(ORDERS).map(([name, { words, does }]) => `${`/${name} ${words}`.padEnd(16)} ${does}`),
    "",
    "Enter sends. Alt-Enter, Ctrl-J or a \\ before Enter begins a new line. Up and Down go through what was said before.",
    "While the run works, what you send reaches the model behind the next results.",
    "Ctrl-C stops the calls that go on, twice the run, a third time the process. Ctrl-D leaves.",
    "A prompt of an MCP server: /server:prompt name=value puts it into your line; /server: lists them.",
    "A message that begins with a slash: //like this. An image goes with it: @view.png, or drop the file here.",
  ];
}
