import { z } from "zod";

/** Where an argument stands in a request. */
const parameter = z.strictObject({
  argument: z.string(),
  name: z.string(),
  in: z.enum(["path", "query", "header", "cookie"]),
  style: z.enum(["simple", "label", "form", "spaceDelimited", "pipeDelimited", "deepObject", "json"]),
  explode: z.boolean(),
});

const field = z.strictObject({ deep: z.boolean(), explode: z.boolean(), file: z.boolean() });

const body = z.strictObject({
  /** As the request names it. */
  type: z.string(),
  form: z.enum(["json", "urlencoded", "multipart", "text"]),
  /** Of a form's fields, those that are not written the usual way. */
  fields: z.record(z.string(), field),
});

const binding = z.strictObject({
  method: z.enum(["GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH"]),
  /** Absolute, with a `{name}` for each parameter of the path. */
  url: z.string(),
  accept: z.string().nullable(),
  parameters: z.array(parameter),
  body: body.nullable(),
});

export type Parameter = z.output<typeof parameter>;
export type FieldForm = z.output<typeof field>;
export type BodyForm = z.output<typeof body>;

/** How the arguments of a tool become a request: a part of what a person confirmed, so that no document can change it afterwards. */
export type Binding = z.output<typeof binding>;

export const METHODS = binding.shape.method.options;

/** Null: it is none. */
export function bindingIn(value: unknown): Binding | null {
  const read = binding.safeParse(value);
  return read.success ? read.data : null;
}
