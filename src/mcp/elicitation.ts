import { makeVisibleLine } from "../base/text.ts";
import { tokensIn } from "../base/secret-tokens.ts";

/** What a server wants to know of a person, a field at a time. All texts are visible, and the server's. */
export type Form = { readonly message: string; readonly fields: readonly Field[] };

export type Field = {
  readonly name: string;
  readonly label: string;
  readonly kind: "text" | "number" | "integer" | "boolean" | "choice" | "choices";
  /** What may be chosen from: what is sent, beside what a person reads. */
  readonly choices: readonly { readonly value: string; readonly label: string }[];
  readonly isRequired: boolean;
  /** What the server takes it to be unless a person says otherwise, and how it is shown; absent: nothing. */
  readonly usual?: { readonly value: unknown; readonly text: string };
};

/** More is no question but a form, and who fills it in at a terminal reads none of it. */
const MAX_FIELDS = 6;
const MAX_CHOICES = 20;
/** Of the whole question the tool for questions takes 2,000 characters. */
const MAX_MESSAGE = 800;
const MAX_CHOICES_TEXT = 500;
const MAX_LABEL = 200;
const MAX_USUAL = 100;
const NAME = /^[A-Za-z0-9_.-]{1,64}$/u;

/**
 * What nobody gives to a program that asks for it. Words of other languages stand for the same; a word in two alphabets is there to look like another one.
 */
const SECRET =
  /pass ?(?:word|phrase|code|wd)|\bpwd\b|secret|credential|\btokens?\b|api ?key|(?:private|access|signing|encryption|recovery|seed) ?(?:key|code|phrase)|\bpin\b|\botp\b|\b[2m]fa\b|(?:one ?time|verification|security|backup) ?code|\bcv[vc]2?\b|card ?number|social ?security|\bssn\b|\biban\b|passwort|kennwort|contraseñ|mot de passe|\bsenha\b|парол|密码|密碼|パスワード|비밀번호/u;
const TWO_ALPHABETS = /[A-Za-z][\p{Script=Cyrillic}\p{Script=Greek}]|[\p{Script=Cyrillic}\p{Script=Greek}][A-Za-z]/u;

type Values = Readonly<Record<string, unknown>>;
const valuesOf = (value: unknown): Values => (typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Values) : {});

/** Reads `elicitation/create`. Or why a person is not asked, as a clause. Total on any values. */
export function readForm(params: unknown): Form | { readonly reason: string } {
  const { mode = "form", message, requestedSchema } = valuesOf(params);
  if (mode !== "form") return { reason: "it wants to send its person to an address, and only questions are put to them" };
  if (typeof message !== "string" || message.length > MAX_MESSAGE) return { reason: `its question is no text of at most ${String(MAX_MESSAGE)} characters` };
  const { properties, required } = valuesOf(requestedSchema);
  const named = Object.entries(valuesOf(properties));
  if (named.length > MAX_FIELDS) return { reason: `it wants to know more than ${String(MAX_FIELDS)} things at once` };
  const wanted = new Set(Array.isArray(required) ? required : []);
  const fields: Field[] = [];
  for (const [name, schema] of named) {
    const field = readField(name, valuesOf(schema), wanted.has(name));
    if ("reason" in field) return field;
    fields.push(field);
  }
  const secret = [message, ...named.flatMap(([name, schema]) => wordsOf(name, valuesOf(schema)))].find(isOfSecrets);
  if (secret !== undefined) return { reason: "it asks for a password, a key or the like, and a person gives none to a server" };
  const shown = makeVisibleLine(message.toWellFormed()).replaceAll('"', "'");
  return shown.length > MAX_MESSAGE ? { reason: "its question cannot be shown" } : { message: shown, fields };
}

/** All that says what a field is for. */
function wordsOf(name: string, { title, description, format }: Values): readonly string[] {
  return [name, title, description, format].filter((text) => typeof text === "string");
}

function isOfSecrets(text: string): boolean {
  const plain = text.normalize("NFKC");
  const words = plain
    .replaceAll(/(?<=[a-z])(?=[A-Z])/gu, " ")
    .replaceAll(/[\s_.\-\p{Cf}]+/gu, " ")
    .toLowerCase();
  return TWO_ALPHABETS.test(plain) || SECRET.test(words) || SECRET.test(plain.replaceAll(/\p{Cf}/gu, "").toLowerCase());
}

function readField(name: string, schema: Values, isRequired: boolean): Field | { readonly reason: string } {
  const field = plainField(name, schema, isRequired);
  if ("reason" in field || schema["default"] === undefined) return field;
  const given: unknown = schema["default"];
  // It is read as a person's words are, so that it is no more than they could have said.
  const text = makeVisibleLine((Array.isArray(given) ? given.join(", ") : typeof given === "boolean" ? (given ? "yes" : "no") : String(given)).toWellFormed());
  const read = valueOf(field, text);
  return text !== "-" && text.length <= MAX_USUAL && "value" in read ? { ...field, usual: { value: read.value, text } } : field;
}

function plainField(name: string, schema: Values, isRequired: boolean): Field | { readonly reason: string } {
  if (!NAME.test(name)) return { reason: "a field of its question has a name that nobody can read" };
  const { title, description, type } = schema;
  const words = [title, description].filter((text) => typeof text === "string" && text !== "").join(": ");
  const label = makeVisibleLine((words === "" ? name : words).toWellFormed()).slice(0, MAX_LABEL);
  const field = { name, label, isRequired, choices: [] };
  if (type === "array") {
    const choices = choicesOf(valuesOf(schema["items"]));
    return choices === null ? { reason: `it lets choose ${name} from what is no short list` } : { ...field, kind: "choices", choices };
  }
  if (type === "string" && (schema["enum"] !== undefined || schema["oneOf"] !== undefined)) {
    const choices = choicesOf(schema);
    return choices === null ? { reason: `it lets choose ${name} from what is no short list` } : { ...field, kind: "choice", choices };
  }
  if (type === "string") return { ...field, kind: "text" };
  if (type === "number" || type === "integer" || type === "boolean") return { ...field, kind: type };
  return { reason: `${name} is of a kind that no question is of` };
}

function choicesOf(schema: Values): Field["choices"] | null {
  const titled = schema["oneOf"] ?? schema["anyOf"];
  const listed = Array.isArray(titled)
    ? titled.map((each) => ({ value: valuesOf(each)["const"], label: valuesOf(each)["title"] }))
    : Array.isArray(schema["enum"])
      ? (schema["enum"] as unknown[]).map((value, index) => ({
          value,
          label: Array.isArray(schema["enumNames"]) ? (schema["enumNames"] as unknown[])[index] : value,
        }))
      : [];
  const choices = listed.flatMap(({ value, label }) =>
    typeof value === "string" && value !== "" && value.length <= MAX_LABEL
      ? [{ value, label: makeVisibleLine((typeof label === "string" && label !== "" ? label : value).toWellFormed()).slice(0, 100) }]
      : [],
  );
  const labels = new Set(choices.map(({ label }) => label));
  const isClear = labels.size === listed.length && [...labels].join(", ").length <= MAX_CHOICES_TEXT;
  return listed.length === 0 || listed.length > MAX_CHOICES || !isClear ? null : choices;
}

/** The most that the tool for questions takes. */
const MAX_BUTTONS = 4;

/** A field as a person is asked about it. `choices`: to choose from, where there are few. */
export function fieldText({ label, kind, choices, isRequired, usual }: Field): { readonly text: string; readonly choices: readonly string[] } {
  const labels = kind === "boolean" ? ["yes", "no"] : choices.map((choice) => choice.label);
  const what = {
    text: "",
    number: " (a number)",
    integer: " (a whole number)",
    boolean: " (yes or no)",
    choice: ` (one of: ${labels.join(", ")})`,
    choices: ` (some of: ${labels.join(", ")}; with commas between them)`,
  }[kind];
  const isShort = kind !== "choices" && labels.length > 1 && labels.length <= MAX_BUTTONS;
  return {
    text: `${label}${what}${usual !== undefined ? ` (- takes ${usual.text})` : isRequired ? "" : " (- leaves it out)"}`,
    choices: isShort ? labels : [],
  };
}

/** A person's words as the value of a field; `undefined`: they left it out. Or what is wrong with them, as a clause. */
export function valueOf({ kind, choices, isRequired, usual }: Field, said: string): { readonly value: unknown } | { readonly problem: string } {
  const words = said.trim();
  if (words === "-" && usual !== undefined) return { value: usual.value };
  if (words === "-" && !isRequired) return { value: undefined };
  if (tokensIn(words).length > 0) return { problem: "it looks like a key or a token, which no server is given" };
  const chosen = (word: string): string | undefined => choices.find(({ value, label }) => word === label || word === value)?.value;
  switch (kind) {
    case "text":
      return { value: words };
    case "number":
    case "integer": {
      const value = /^[-+]?\d+(?:\.\d+)?$/u.test(words) ? Number(words) : Number.NaN;
      const isFit = kind === "number" ? Number.isFinite(value) : Number.isSafeInteger(value);
      return isFit ? { value } : { problem: kind === "number" ? "it is no number" : "it is no whole number" };
    }
    case "boolean":
      return /^(?:yes|no)$/iu.test(words) ? { value: words.toLowerCase() === "yes" } : { problem: "it is neither yes nor no" };
    case "choice":
      return chosen(words) === undefined ? { problem: "it is none of the choices" } : { value: chosen(words) };
    case "choices": {
      const values = words.split(",").map((word) => chosen(word.trim()));
      return values.includes(undefined) ? { problem: "not all of it are choices" } : { value: values };
    }
  }
}
