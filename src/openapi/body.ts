import { sha256 } from "../base/digest.ts";
import type { BodyForm, FieldForm } from "./binding.ts";
import { isJson, Refusal } from "./document.ts";
import { encoded, pairsOf } from "./styles.ts";

/** The body of a request, and its type as the request says it. */
export type Body = { readonly type: string; readonly text: string };

/** Throws {@link Refusal} for a value that cannot be sent like this. The same value is the same body. */
export function bodyOf({ type, form, fields }: BodyForm, value: unknown): Body {
  switch (form) {
    case "json":
      return { type, text: JSON.stringify(value) };
    case "text":
      if (typeof value !== "string") throw new Refusal("it must be a text");
      return { type, text: value };
    case "urlencoded":
      return {
        type,
        text: entriesOf(value)
          .flatMap(([name, each]) => formPairs(name, each, fields))
          .join("&"),
      };
    case "multipart":
      return multipart(type, entriesOf(value), fields);
  }
}

function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  if (!isJson(value)) throw new Refusal("it must be an object, whose fields are those of a form");
  return Object.entries(value).filter(([, each]) => each !== undefined);
}

const USUAL: FieldForm = { deep: false, explode: true, file: false };
const formOf = (fields: BodyForm["fields"], name: string): FieldForm => (Object.hasOwn(fields, name) ? (fields[name] ?? USUAL) : USUAL);

function formPairs(name: string, value: unknown, fields: BodyForm["fields"]): readonly string[] {
  const { deep, explode } = formOf(fields, name);
  const isNested = typeof value === "object" && value !== null && (!Array.isArray(value) || value.some((each: unknown) => typeof each === "object"));
  return pairsOf({ name, style: deep ? "deepObject" : isNested ? "json" : "form", explode }, value);
}

type Part = { readonly head: string; readonly text: string };

function multipart(type: string, entries: readonly (readonly [string, unknown])[], fields: BodyForm["fields"]): Body {
  const parts = entries.flatMap(([name, value]) => {
    const values: readonly unknown[] = Array.isArray(value) ? (value as unknown[]) : [value];
    return values.map((each): Part => partOf(name, each, formOf(fields, name).file));
  });
  let boundary = sha256(parts.map(({ head, text }) => `${head}\n${text}`).join("\n"));
  while (parts.some(({ text }) => text.includes(boundary))) boundary = sha256(boundary);
  const text = parts.map((part) => `--${boundary}\r\n${part.head}\r\n\r\n${part.text}\r\n`).join("");
  return { type: `${type}; boundary=${boundary}`, text: `${text}--${boundary}--\r\n` };
}

function partOf(name: string, value: unknown, isFile: boolean): Part {
  // A name is written so that nothing in it ends a line or its quotes.
  const quoted = `"${name.replaceAll(/["\r\n\0]/gu, encoded)}"`;
  const named = `content-disposition: form-data; name=${quoted}`;
  if (typeof value === "object" && value !== null) return { head: `${named}\r\ncontent-type: application/json`, text: JSON.stringify(value) };
  return { head: isFile ? `${named}; filename=${quoted}\r\ncontent-type: application/octet-stream` : named, text: String(value) };
}
