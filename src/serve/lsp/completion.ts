import { type TextPlace, type YamlPart, yamlPartAt } from "../../policy/text/yaml-parts.ts";
import { descriptionOf, keysOf, schemasAt, type SchemaNode, valuesOf } from "./schema-place.ts";

export type Proposal = { readonly kind: "key" | "value"; readonly label: string; readonly detail: string; readonly isRequired: boolean };

export type Names = {
  /** Of the shipped policies. */
  readonly policies: readonly string[];
  readonly tools: readonly string[];
};

/** No key or value of the language holds it. */
const MARK = "zzmark";
const WORD = new RegExp(`^[\\w-]*${MARK}$`, "u");

/** What may be typed at a place of a text that need not be whole. */
export function proposalsAt(source: string, place: TextPlace, schema: SchemaNode, names: Names): readonly Proposal[] {
  const key = markedPart(source, place, `${MARK}: `);
  if (key?.isKey === true && !isLongText(key)) {
    const above = schemasAt(schema, key.path.slice(0, -1));
    const required = new Set(above.flatMap((node) => node.required ?? []));
    const keys = [...keysOf(above)].filter(([name]) => !key.siblings.includes(name));
    if (keys.length > 0)
      return keys.map(([name, node]) => ({ kind: "key", label: name, detail: descriptionOf(schemasAt(node, [])), isRequired: required.has(name) }));
  }
  const value = markedPart(source, place, MARK);
  if (value === null || value.isKey) return [];
  return valuesAt(value.path, schema, names).map((label) => ({ kind: "value", label, detail: "", isRequired: false }));
}

function valuesAt(path: YamlPart["path"], schema: SchemaNode, { policies, tools }: Names): readonly string[] {
  if (path.length === 1 && path[0] === "extends") return policies;
  if (path[0] === "tools" && (path[1] === "allow" || path[1] === "deny") && path.length === 3) return tools;
  return valuesOf(schemasAt(schema, path));
}

/** What the text would hold here if the word that is being typed were this one. */
function markedPart(source: string, { line, column }: TextPlace, mark: string): YamlPart | null {
  const lines = source.split("\n");
  const own = lines[line - 1] ?? "";
  const before = own.slice(0, column - 1);
  const behind = own.slice(column - 1).replace(/^[\w-]*(?::(?= |$))?/u, "");
  // A key behind a value, or a second one, would be no YAML.
  if (mark !== MARK && /[^\s{,-][^{,]*$/u.test(before.replace(/[\w-]*$/u, ""))) return null;
  lines[line - 1] = `${before}${mark}${behind}`;
  const part = yamlPartAt(lines.join("\n"), { line, column });
  return part !== null && WORD.test(part.text) ? part : null;
}

/** A word within a text of several lines is no key. */
function isLongText({ from, to }: YamlPart): boolean {
  return from.line !== to.line;
}
