import type { OptionUse, ParsedArguments } from "../reading/arguments.ts";
import type { Collector } from "../reading/collector.ts";
import { addEffect, addPath } from "../reading/collector.ts";
import { fileOfUrl, isFileUrl } from "../operands/file-url.ts";
import { literalValue, showWord } from "../../model/words.ts";
import { reviewOutputs } from "../roles/written-names.ts";

const READING_METHODS = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "get", "head"]);

/** A request by another method than reading ones changes something, and so does what is sent to a file. */
export function reviewRequest(to: Collector, parsed: ParsedArguments): void {
  const { operands, options } = parsed;
  reviewOutputs(to, parsed);
  reviewData(to, options);
  for (const { spec, value, word } of options) {
    if (!spec.names.includes("--request") && !spec.names.includes("--method")) continue;
    const method = value === null ? null : literalValue(value);
    if (method === null || !READING_METHODS.has(method))
      addEffect(to, "sends", word.span, `the method ${value === null ? "" : showWord(value)} is not one that only reads`);
  }
  if (!options.some(({ spec }) => spec.names.includes("--upload-file"))) return;
  const urls = options.flatMap(({ spec, value }) => (value !== null && spec.names.includes("--url") ? [value] : []));
  for (const word of [...operands, ...urls]) if (isFileUrl(word)) addPath(to, "writes", fileOfUrl(word));
}

/**
 * What curl sends, by POST; with `-G` it is a part of the address, which is plain in the words as any other: to one request, so not beside `--next`.
 * https://curl.se/docs/manpage.html#-G
 */
function reviewData(to: Collector, options: readonly OptionUse[]): void {
  const has = (name: string): boolean => options.some(({ spec }) => spec.names.includes(name));
  const isQuery = has("--get") && !has("--next");
  for (const { name, spec, value, word } of options) {
    const file = spec.names.map((known) => FILES.get(known)).find((pattern) => pattern !== undefined);
    if (file === undefined) continue;
    const isPlain = value?.kind === "literal" && !file.test(value.value);
    if (isPlain && (spec.names.includes("--url-query") || (isQuery && name !== "--json"))) continue;
    addEffect(to, "sends", (value ?? word).span, `\`${to.program}\` sends ${showWord(value ?? word)}`);
  }
}

/** Options that give data, by one of their names, and of which values they send a file. */
const FILES: ReadonlyMap<string, RegExp> = new Map([
  ["--data", /^@/],
  ["--data-raw", /(?!)/],
  ["--data-urlencode", /^[^=]*@/],
  ["--url-query", /^[^=]*@/],
]);
