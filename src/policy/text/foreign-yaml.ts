import { parseBounded } from "./bounded-parser.ts";

const MAX_ALIASES = 20;

/** The plain value of a YAML document that somebody else wrote, whose numbers and words mean what they may; or what is wrong with it, as a clause. */
export function readForeignYaml(source: string): { readonly value: unknown } | { readonly problem: string } {
  const parsed = parseBounded(source);
  if ("excess" in parsed) return { problem: "it holds more words and marks, or is nested deeper, than is read" };
  if (parsed.secondAt !== null) return { problem: "it holds several documents" };
  if (parsed.document.errors.length > 0) return { problem: "it is not valid YAML" };
  try {
    return { value: parsed.document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown };
  } catch (error) {
    if (error instanceof ReferenceError) return { problem: `it has aliases that multiply (at most ${String(MAX_ALIASES)}), or lead nowhere` };
    throw error;
  }
}
