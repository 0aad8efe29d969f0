import { canonicalJson } from "../../../base/digest.ts";
import { decodeInput } from "../../../tools/decode.ts";
import type { Tool, ToolSetting } from "../../../tools/contract/tool.ts";

/** The arguments of a logged call, or why they cannot be had again. */
export type KeptInput = { readonly input: unknown } | { readonly lost: string };

const REDACTED = /\[redacted: /u;

/**
 * The arguments as the log kept them, with something in the place of texts that were cut or held a secret. They are lost where that could matter: where what
 * the tool asks for depends on it, as a command depends on its text and the writing of a file does not depend on its content.
 */
export function keptInput(tool: Tool, logged: unknown, setting: ToolSetting): KeptInput {
  const [one, other] = ["a", "b"].map((stand) => filled(logged, stand));
  const [first, second] = [one, other].map((input) => asked(tool, input, setting));
  if (first === null || second === null) return { lost: "its arguments are none that this version takes" };
  return first === second ? { input: one } : { lost: "a text of it was cut or redacted in the log" };
}

function filled(value: unknown, stand: string): unknown {
  if (typeof value === "string") return REDACTED.test(value) ? value.replaceAll(/\[redacted: [^\]]*\]/gu, stand) : value;
  if (Array.isArray(value)) return value.map((entry) => filled(entry, stand));
  if (typeof value !== "object" || value === null) return value;
  const { sha256, characters, preview } = value as Readonly<Record<string, unknown>>;
  if (typeof sha256 === "string" && typeof characters === "number" && typeof preview === "string") return `${preview}${stand}`;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, filled(entry, stand)]));
}

function asked(tool: Tool, input: unknown, setting: ToolSetting): string | null {
  const decoded = decodeInput(tool, input);
  return decoded.kind === "valid" ? canonicalJson(tool.requests(decoded.input, setting)) : null;
}
