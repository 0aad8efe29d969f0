import type { PolicyDiagnostic } from "../text/diagnostic.ts";
import { MAX_POLICY_KIBIBYTES } from "../text/file-size.ts";
import { schemaDiagnostics, type FileWords } from "../text/schema-diagnostics.ts";
import { policyKeys, policySchema, type PolicyDocument } from "./schema.ts";
import { readYaml, type YamlText } from "../text/yaml.ts";

export type ReadPolicy = { readonly document: PolicyDocument; readonly text: YamlText };

export type PolicyReading = ReadPolicy | { readonly diagnostics: readonly PolicyDiagnostic[] };

const KEYS = policyKeys();

const WORDS: FileWords = {
  whole: "The policy",
  key: "a key of the policy language",
  misspelt: "A misspelt key would be a rule that nobody enforces.",
  manual: "docs/policy-language.md",
  placesOf: (key) => KEYS.get(key) ?? [],
  name: "one of the effects of the language",
};

/** Reads one policy file's text against the schema. Never throws: what is wrong is a list of diagnostics. */
export function readPolicyDocument(file: string, source: string): PolicyReading {
  const read = readYaml(file, source, MAX_POLICY_KIBIBYTES);
  if ("diagnostics" in read) return read;
  const { text } = read;
  const parsed = policySchema.safeParse(text.value);
  if (parsed.success) return { document: parsed.data, text };
  return { diagnostics: schemaDiagnostics(parsed.error.issues, text, WORDS) };
}
