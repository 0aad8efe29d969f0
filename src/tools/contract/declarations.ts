import type { JsonSchema } from "./json-schema.ts";

/** What a script may call, by name. */
export type Callable = { readonly name: string; readonly inputSchema: JsonSchema };

const MAX_DEPTH = 4;

/** The functions of scripts in TypeScript, a line each: the names and types of arguments alone, as each tool says the rest itself. */
export function toolDeclarations(tools: readonly Callable[]): string {
  const lines = tools.map(({ name, inputSchema }) => `  ${memberName(name)}(input: ${typeOf(inputSchema, 0)}): Promise<string>;`);
  return `declare const tools: {\n${lines.join("\n")}\n};`;
}

function typeOf(schema: unknown, depth: number): string {
  if (typeof schema !== "object" || schema === null || depth > MAX_DEPTH) return "unknown";
  const { type, enum: values, const: constant, properties, items, required: needed, anyOf, oneOf } = schema as Readonly<Record<string, unknown>>;
  const union = anyOf ?? oneOf;
  if (constant !== undefined) return JSON.stringify(constant);
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(" | ");
  if (Array.isArray(union)) return union.map((each) => typeOf(each, depth + 1)).join(" | ");
  if (Array.isArray(type)) return type.map((each) => typeOf({ type: each as unknown }, depth + 1)).join(" | ");
  if (type === "array") return `Array<${typeOf(items, depth + 1)}>`;
  if (type === "object" && typeof properties === "object" && properties !== null)
    return objectType(properties, Array.isArray(needed) ? (needed as unknown[]) : [], depth);
  if (type === "object") return "Record<string, unknown>";
  if (type === "integer" || type === "number") return "number";
  return type === "string" || type === "boolean" || type === "null" ? type : "unknown";
}

function objectType(properties: object, required: readonly unknown[], depth: number): string {
  const members = Object.entries(properties).map(([name, schema]) => {
    return `${memberName(name)}${required.includes(name) ? "" : "?"}: ${typeOf(schema, depth + 1)}`;
  });
  return members.length === 0 ? "{}" : `{ ${members.join("; ")} }`;
}

function memberName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/u.test(name) ? name : JSON.stringify(name);
}
