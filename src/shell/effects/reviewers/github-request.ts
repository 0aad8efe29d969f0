import type { Word } from "../../model/model.ts";
import type { ParsedArguments } from "../reading/arguments.ts";
import type { Collector } from "../reading/collector.ts";
import { addEffect } from "../reading/collector.ts";
import { literalValue, showWord } from "../../model/words.ts";

type Field = { readonly word: Word; readonly value: Word | null; /** `-F` reads a value from a file. */ readonly readsFiles: boolean };

/**
 * `gh api` sends its fields, by POST where no method is named. To a GET they are a part of the address (cli/cli, pkg/cmd/api/http.go), which is plain in the
 * words; and a text of GraphQL in which the keyword `mutation` does not stand changes nothing (GraphQL, October 2021, section 2.3: a name has no escapes).
 */
export function reviewFields(to: Collector, { operands, options }: ParsedArguments): void {
  const fields = options.flatMap(({ spec, value, word }): Field[] => {
    const readsFiles = spec.names.includes("--field");
    return readsFiles || spec.names.includes("--raw-field") ? [{ word, value, readsFiles }] : [];
  });
  const methods = options.flatMap(({ spec, value }) => (spec.names.includes("--method") ? [value === null ? null : literalValue(value)] : []));
  const isGet = methods.length === 1 && methods[0]?.toUpperCase() === "GET";
  const isQuery = methods.length === 0 && literalValue(operands[0]) === "graphql" && operands.length === 1 && asksAlone(fields);
  for (const field of fields) {
    if ((isGet || isQuery) && isPlain(field)) continue;
    addEffect(to, "sends", field.word.span, `\`${to.program}\` sends the field ${field.value === null ? "" : showWord(field.value)}`);
  }
}

/** A name and a value that stand in the words as they are sent. */
function isPlain({ value, readsFiles }: Field): boolean {
  const text = value === null ? null : literalValue(value);
  return text !== null && /^[\w-]+(?:\[[\w-]*\])*=/.test(text) && !(readsFiles && /^[^=]*=@/.test(text));
}

function asksAlone(fields: readonly Field[]): boolean {
  const queries = fields.flatMap(({ value }) => (value === null ? [] : (literalValue(value) ?? []))).filter((text) => /^query\b/.test(text));
  return queries.length === 1 && queries.every((text) => text.startsWith("query=") && !/\b(?:mutation|subscription)\b/.test(text));
}
