import type { EffectKind } from "./effect.ts";
import { EFFECT_KINDS } from "./effect.ts";
import { getOrCreate } from "./get-or-create.ts";
import type { OptionSpec, OptionValue, Role } from "./table.ts";
import { ROLES } from "./table.ts";

const NAME = String.raw`(?:-\[[^\]\s]+\]|--\[no-\][\w-]+|[-+][^\s,=!>~^]*)`;
const OPTION = new RegExp(String.raw`^(${NAME}(?:,${NAME})*)(=[^!>~^]+)?((?:![a-z-]+|>[a-z-]+|~0?|\^)*)$`);

/** The effect that a word names; throws a text that says what is wrong (the caller adds file and line). */
export function effectNamed(word: string): EffectKind {
  if ((EFFECT_KINDS as readonly string[]).includes(word)) return word as EffectKind;
  throw new NotationFault(`unknown effect "${word}"`);
}

/** The role that a word names. */
export function roleNamed(word: string): Role {
  if ((ROLES as readonly string[]).includes(word)) return word as Role;
  throw new NotationFault(`unknown role "${word}"`);
}

/** What is wrong in a line of a table. */
export class NotationFault extends Error {}

const parsed = new Map<string, OptionSpec>();

/** `-o,--output=write!history` → what the option takes and does. Read once: subcommands of one program repeat each other's options. */
export function parseOption(token: string): OptionSpec {
  return getOrCreate(parsed, token, readOption);
}

function readOption(token: string): OptionSpec {
  const match = OPTION.exec(token);
  if (match === null) throw new NotationFault(`"${token}" is no option`);
  const modifiers: readonly string[] = match[3] === "" ? [] : ((match[3] ?? "").match(/![a-z-]+|>[a-z-]+|~0?|\^/g) ?? []);
  const operandRole = modifiers.find((modifier) => modifier.startsWith(">"));
  return {
    names: optionNames(match[1] ?? ""),
    value: parseValue(match[2]),
    effects: effectsOf(modifiers),
    operandRole: operandRole === undefined ? null : roleNamed(operandRole.slice(1)),
    isListing: modifiers.includes("~") || modifiers.includes("~0"),
    listsAlone: modifiers.includes("~0"),
    suppliesFirst: modifiers.includes("^"),
  };
}

// Most options do nothing and take nothing: they share what says so.
const NO_EFFECTS: readonly EffectKind[] = [];
const NO_VALUE: OptionValue = { kind: "none" };

function effectsOf(modifiers: readonly string[]): readonly EffectKind[] {
  const effects = modifiers.filter((modifier) => modifier.startsWith("!")).map((modifier) => effectNamed(modifier.slice(1)));
  return effects.length === 0 ? NO_EFFECTS : effects;
}

const NAMES = new RegExp(NAME, "g");

function optionNames(text: string): string[] {
  if (!text.includes(",") && !text.includes("[")) return [text];
  const names: string[] = [];
  for (const name of text.match(NAMES) ?? []) {
    if (name.startsWith("-[")) for (const letter of name.slice(2, -1)) names.push(`-${letter}`);
    else if (name.startsWith("--[no-]")) names.push(`--${name.slice(7)}`, `--no-${name.slice(7)}`);
    else names.push(name);
  }
  return names;
}

const values = new Map<string, OptionValue>();

/** Read once for each notation, as options are. */
function parseValue(text: string | undefined): OptionValue {
  return text === undefined ? NO_VALUE : getOrCreate(values, text, readValue);
}

function readValue(text: string): OptionValue {
  const isOptional = text.endsWith("?");
  const isAttached = text.endsWith(")+");
  const body = isOptional || isAttached ? text.slice(1, -1) : text.slice(1);
  if (body.startsWith("(") && body.endsWith(")")) return { kind: "one-of", values: body.slice(1, -1).split("|"), isOptional, isAttached };
  const [first = "", second] = body.split("=");
  return { kind: "role", role: roleNamed(first), isOptional, second: second === undefined ? null : roleNamed(second) };
}
