import type { z } from "zod";
import { toInputSchema } from "./json-schema.ts";

/** One argument of a tool, for a person or a model that named another. */
export type ToolArgument = { readonly name: string; readonly type: string; readonly isRequired: boolean; readonly description: string };

type Property = { readonly type?: unknown; readonly enum?: readonly unknown[]; readonly description?: string };

/** The arguments of a tool, in the order of its schema. */
export function argumentsOf(schema: z.ZodType): readonly ToolArgument[] {
  const { properties = {}, required = [] } = toInputSchema(schema) as {
    readonly properties?: Readonly<Record<string, Property>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { type, enum: values, description = "" }]) => ({
    name,
    type: values === undefined ? String(type) : values.map(String).join(" | "),
    isRequired: required.includes(name),
    description,
  }));
}

/** `path, offset (optional)`. */
export function argumentNames(schema: z.ZodType): string {
  const names = argumentsOf(schema).map(({ name, isRequired }) => (isRequired ? name : `${name} (optional)`));
  return names.length === 0 ? "none" : names.join(", ");
}
