import { HEADER_NAME } from "../tools/contract/input-schemas.ts";
import { headerFault } from "../tools/web/plain-request.ts";
import type { Binding, BodyForm, FieldForm, Parameter } from "./binding.ts";
import { followed, isJson, own, Refusal, type Json } from "./document.ts";
import { BODY } from "./request.ts";
import { shapeOf } from "./shape.ts";

/** Arguments of a tool: what a model is told of each, and which it must give. */
export type Arguments = { readonly shapes: Json; readonly required: readonly string[] };

const MAX_PARAMETERS = 100;
const MAX_NAME = 100;
const PLACES: ReadonlySet<unknown> = new Set(["path", "query", "header", "cookie"]);
/** By the specification not described by parameters. */
const NOT_OF_PARAMETERS: ReadonlySet<string> = new Set(["accept", "content-type", "authorization", "cookie"]);
/** A cookie is mostly what says who somebody is; such a one is the policy's to add. */
const SESSION = /sess|sid|auth|token|secret|jwt|csrf|xsrf|key|pass|login|user/iu;
const USUAL = { path: "simple", query: "form", header: "simple", cookie: "form" } as const;
const STYLES: Readonly<Record<Parameter["in"], readonly Parameter["style"][]>> = {
  path: ["simple", "label"],
  query: ["form", "spaceDelimited", "pipeDelimited", "deepObject"],
  header: ["simple"],
  cookie: ["form"],
};

type Place = { readonly item: Json; readonly operation: Json; readonly path: string; readonly hasBody: boolean };

/** The parameters of an operation and of its path, of which the operation's count. Throws {@link Refusal} where a request could not be made without one. */
export function parametersFrom(root: Json, { item, operation, path, hasBody }: Place): Arguments & { readonly bindings: readonly Parameter[] } {
  const stated = new Map<string, Json>();
  for (const holder of [item, operation])
    for (const each of listOf(own(holder, "parameters"))) {
      const parameter = followed(root, each).value;
      stated.set(`${String(own(parameter, "in"))} ${String(own(parameter, "name"))}`, parameter);
    }
  if (stated.size > MAX_PARAMETERS) throw new Refusal(`it has more than ${String(MAX_PARAMETERS)} parameters`);
  const taken = new Set(hasBody ? [BODY] : []);
  const shapes: Record<string, unknown> = {};
  const required: string[] = [];
  const bindings: Parameter[] = [];
  for (const parameter of stated.values()) {
    const read = parameterOf(root, parameter, taken);
    if (read === null) continue;
    taken.add(read.binding.argument);
    bindings.push(read.binding);
    shapes[read.binding.argument] = read.shape;
    if (read.binding.in === "path" || own(parameter, "required") === true) required.push(read.binding.argument);
  }
  const unknown = [...path.matchAll(/\{([^{}]*)\}/gu)].find(([, name]) => !bindings.some((each) => each.in === "path" && each.name === name));
  if (unknown !== undefined) throw new Refusal("its path has a part that no parameter describes");
  return { shapes, required, bindings };
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);

/** Null: it is nothing that a call says. */
function parameterOf(root: Json, parameter: Json, taken: ReadonlySet<string>): { readonly binding: Parameter; readonly shape: Json } | null {
  const [name, place] = [own(parameter, "name"), own(parameter, "in")];
  if (typeof name !== "string" || name === "" || name.length > MAX_NAME || !PLACES.has(place)) throw new Refusal("a parameter has no name or no place");
  const where = place as Parameter["in"];
  if (where === "header" && (!HEADER_NAME.test(name) || headerFault(name.toLowerCase()) !== null || NOT_OF_PARAMETERS.has(name.toLowerCase()))) return null;
  if (where === "cookie" && SESSION.test(name)) return null;
  const content = own(parameter, "content");
  const style = isJson(content) ? contentStyle(content) : styleIn(own(parameter, "style") ?? USUAL[where], where);
  const stated = isJson(content) ? own(Object.values(content)[0], "schema") : own(parameter, "schema");
  const shape = stated === undefined ? {} : shapeOf(root, stated);
  const description = own(parameter, "description");
  const explode = own(parameter, "explode");
  return {
    shape: typeof description === "string" && description !== "" ? { ...shape, description: description.slice(0, 400) } : shape,
    binding: {
      argument: argumentName(name, where, taken),
      name: where === "header" ? name.toLowerCase() : name,
      in: where,
      style,
      explode: typeof explode === "boolean" ? explode : style === "form" || style === "deepObject",
    },
  };
}

function contentStyle(content: Json): "json" {
  if (!Object.keys(content).every(isJsonType)) throw new Refusal("a parameter has content that is no JSON");
  return "json";
}

function styleIn(style: unknown, where: Parameter["in"]): Parameter["style"] {
  const found = STYLES[where].find((each) => each === style);
  if (found === undefined) throw new Refusal("a parameter has a style that is not written");
  return found;
}

/** A name that every model may write: of two parameters with one name the second says where it stands, too. */
function argumentName(name: string, where: string, taken: ReadonlySet<string>): string {
  const plain = name
    .replaceAll(/[^\w.-]+/gu, "_")
    .replaceAll(/^_+|_+$/gu, "")
    .slice(0, 50);
  const found = [plain, `${where}_${plain}`].find((each) => each !== "" && each !== "__proto__" && !taken.has(each));
  if (found === undefined) throw new Refusal("two of its parameters have one name");
  return found;
}

const isJsonType = (type: string): boolean => /^application\/(?:[\w.+-]+\+)?json$/iu.test(essence(type));
const essence = (type: string): string => (type.split(";")[0] ?? "").trim().toLowerCase();

const isAnyType = (type: string): boolean => ["*/*", "application/*"].includes(essence(type));

const FORMS: readonly (readonly [BodyForm["form"], (type: string) => boolean])[] = [
  ["json", isJsonType],
  ["urlencoded", (type) => essence(type) === "application/x-www-form-urlencoded"],
  ["multipart", (type) => essence(type) === "multipart/form-data"],
  ["text", (type) => essence(type) === "text/plain"],
  // Whatever it is: JSON, where that can say it.
  ["json", isAnyType],
];

/** The body of an operation, in the first of these forms that it takes; null: it has none. */
export function bodyFrom(root: Json, operation: Json, method: Binding["method"]): (Arguments & { readonly binding: BodyForm }) | null {
  const stated = own(operation, "requestBody");
  if (stated === undefined || method === "GET" || method === "HEAD") return null;
  const body = followed(root, stated).value;
  const content = own(body, "content");
  const types = isJson(content) ? Object.entries(content) : [];
  const isRequired = own(body, "required") === true;
  for (const [form, isOf] of FORMS) {
    const found = types.find(([type]) => isOf(type));
    if (found === undefined) continue;
    const schema = own(found[1], "schema");
    const shape = schema === undefined ? {} : shapeOf(root, schema);
    if (isAnyType(found[0]) && !["object", "array"].includes(String(own(shape, "type")))) continue;
    const fields = form === "urlencoded" || form === "multipart" ? fieldsOf(found[1], shape) : {};
    return {
      shapes: { [BODY]: shape },
      required: isRequired ? [BODY] : [],
      binding: { type: isAnyType(found[0]) ? "application/json" : essence(found[0]), form, fields },
    };
  }
  if (isRequired) throw new Refusal("its body is neither JSON nor a form nor a text");
  return null;
}

/** Of a form's fields, those that are written otherwise than as `name=value`. */
function fieldsOf(media: unknown, shape: Json): Readonly<Record<string, FieldForm>> {
  const encoding = own(media, "encoding");
  const properties = own(shape, "properties");
  const names = isJson(properties) ? Object.keys(properties) : [];
  return Object.fromEntries(
    names.flatMap((name) => {
      const stated = own(encoding, name);
      const explode = own(stated, "explode");
      const field = own(properties, name);
      const file = [field, own(field, "items")].some((each) => own(each, "format") === "binary" || own(each, "contentMediaType") !== undefined);
      const made: FieldForm = { deep: own(stated, "style") === "deepObject", explode: explode !== false, file };
      return made.deep || made.file || !made.explode ? [[name, made] as const] : [];
    }),
  );
}
