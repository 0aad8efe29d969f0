import { errorAt, type PolicyDiagnostic } from "./diagnostic.ts";
import { policySchema, type PolicyDocument } from "./schema.ts";
import { readYaml, type YamlText } from "./yaml.ts";

export type ReadPolicy = { readonly document: PolicyDocument; readonly text: YamlText };

export type PolicyReading = ReadPolicy | { readonly diagnostics: readonly PolicyDiagnostic[] };

/** Reads one policy file's text against the schema. Never throws: what is wrong is a list of diagnostics. */
export function readPolicyDocument(file: string, source: string): PolicyReading {
  const read = readYaml(file, source);
  if ("diagnostics" in read) return read;
  const { text } = read;
  const parsed = policySchema.safeParse(text.value);
  if (parsed.success) return { document: parsed.data, text };
  return { diagnostics: parsed.error.issues.flatMap((issue) => diagnosticsOf(issue, text)) };
}

type Issue = NonNullable<ReturnType<typeof policySchema.safeParse>["error"]>["issues"][number];

function diagnosticsOf(issue: Issue, text: YamlText): PolicyDiagnostic[] {
  const place = issue.path.map(String).join(".");
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) =>
      errorAt(text.atKey(issue.path, key), `\`${place === "" ? key : `${place}.${key}`}\` is not a key of the policy language.`, {
        why: "A misspelt key would be a rule that nobody enforces.",
        remedy: key.includes("_") ? `Keys are written with dashes: \`${key.replaceAll("_", "-")}\`.` : "See docs/policy-language.md for the keys.",
      }),
    );
  }
  if (issue.code === "invalid_union") {
    // The form whose kind of value was written: what is wrong is said about that one.
    const meant = issue.errors.find((issues) => !issues.some((inner) => inner.path.length === 0 && inner.code === "invalid_type"));
    if (meant !== undefined) return meant.flatMap((inner) => diagnosticsOf({ ...inner, path: [...issue.path, ...inner.path] }, text));
  }
  const named = place === "" ? "The policy" : `\`${place}\``;
  if (issue.code === "invalid_type" && !text.has(issue.path)) return [errorAt(text.at(issue.path), `${named} is missing.`)];
  return [errorAt(text.at(issue.path), `${named} ${wording(issue)}.`)];
}

function wording(issue: Issue): string {
  if (issue.code === "invalid_value" && !issue.message.startsWith("must")) return `must be one of: ${issue.values.map(String).join(", ")}`;
  if (issue.code === "invalid_key") return "must be one of the effects of the language";
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
