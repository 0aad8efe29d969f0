import type { core } from "zod";
import { errorAt, type PolicyDiagnostic } from "./diagnostic.ts";
import type { YamlText } from "./yaml.ts";

/** How a kind of file is spoken of: `The policy`, `a key of the policy language`. */
export type FileWords = {
  readonly whole: string;
  readonly key: string;
  /** Why a key that is not known matters. */
  readonly misspelt: string;
  /** Where the keys are explained. */
  readonly manual: string;
  /** Where a key stands that is known in another place: the keys that it stands below, `""` for none. */
  readonly placesOf?: (key: string) => readonly string[];
  /** What a name is not, where names are chosen: `one of the effects of the language`. */
  readonly name: string;
};

/** What a schema found wrong with a file, each with its place. */
export function schemaDiagnostics(issues: readonly core.$ZodIssue[], text: YamlText, words: FileWords): readonly PolicyDiagnostic[] {
  return issues.flatMap((issue) => diagnosticsOf(issue, text, words));
}

function diagnosticsOf(issue: core.$ZodIssue, text: YamlText, words: FileWords): readonly PolicyDiagnostic[] {
  const place = issue.path.map(String).join(".");
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) =>
      errorAt(text.atKey(issue.path, key), `\`${place === "" ? key : `${place}.${key}`}\` is not ${words.key}.`, {
        why: words.misspelt,
        remedy: remedyOf(key, words),
      }),
    );
  }
  if (issue.code === "invalid_union") {
    // The form whose kind of value was written: what is wrong is said about that one.
    const meant = issue.errors.find((issues) => !issues.some((inner) => inner.path.length === 0 && inner.code === "invalid_type"));
    if (meant !== undefined) return meant.flatMap((inner) => diagnosticsOf({ ...inner, path: [...issue.path, ...inner.path] }, text, words));
  }
  const named = place === "" ? words.whole : `\`${place}\``;
  if (issue.code === "invalid_type" && !text.has(issue.path)) return [errorAt(text.at(issue.path), `${named} is missing.`)];
  return [errorAt(text.at(issue.path), `${named} ${wording(issue, words)}.`)];
}

function remedyOf(key: string, words: FileWords): string {
  if (key.includes("_")) return `Keys are written with dashes: \`${key.replaceAll("_", "-")}\`.`;
  const [place] = words.placesOf?.(key) ?? [];
  if (place === undefined) return `See ${words.manual} for the keys.`;
  return place === "" ? `\`${key}\` stands at the left edge, below no other key.` : `\`${key}\` stands below \`${place}\`: move it there.`;
}

function wording(issue: core.$ZodIssue, words: FileWords): string {
  if (issue.code === "invalid_value" && !issue.message.startsWith("must")) return `must be one of: ${issue.values.map(String).join(", ")}`;
  if (issue.code === "invalid_key") return `must be ${words.name}`;
  if (issue.code === "invalid_type" && !issue.message.startsWith("must")) return `must be ${TYPES[issue.expected] ?? issue.expected}`;
  return issue.message.replace(/\.$/u, "");
}

const TYPES: Readonly<Record<string, string>> = {
  string: "a text",
  array: "a list",
  object: "a map of keys",
  record: "a map of keys",
  boolean: "true or false",
  number: "a number",
  int: "a whole number",
};
