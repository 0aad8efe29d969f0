import { type SecretPattern, TOKENS } from "../../base/secret-tokens.ts";

/** Takes secrets out of a text before it is stored or shown. Must be pure and must not fail. */
export type Redact = (text: string) => string;

// Told by the word before it: source code that only speaks of a password matches as well.
const VALUES: readonly SecretPattern[] = [
  { name: "authorization", pattern: /(?<keep>\b(?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{12,}/giu },
  { name: "password in a URL", pattern: /(?<keep>\b[a-z][a-z0-9+.-]{0,31}:\/\/[^\s/:@]{0,64}:)[^\s/@]{1,256}(?=@)/giu },
  {
    name: "secret value",
    pattern:
      /(?<keep>\b[A-Za-z0-9_-]{0,40}(?:password|passwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key)["']?\s{0,3}[:=]\s{0,3}["']?)[^\s"'`,;)}\]]{6,}/giu,
  },
];

/**
 * Replaces what looks like a secret by `[redacted: what it was]`: tokens, and values that are called password,
 * token or the like. For what is stored and shown.
 */
export const redactSecrets: Redact = (text) => replaceAll(text, [...TOKENS, ...VALUES]);

/** The same behind what takes out the secrets that a log knows: before anything is cut, or half of one stays that nobody knows any more. */
export function redactFor({ redact }: { readonly redact?: Redact }): Redact {
  return redact === undefined ? redactSecrets : (text) => redactSecrets(redact(text));
}

/** The same for unmistakable tokens only: for what a model reads, where a guess would garble source code. */
export const redactTokens: Redact = (text) => replaceAll(text, TOKENS);

function replaceAll(text: string, patterns: readonly SecretPattern[]): string {
  let redacted = text;
  for (const { name, pattern } of patterns) {
    redacted = redacted.replace(pattern, (...match) => {
      const groups: unknown = match.at(-1);
      const keep = typeof groups === "object" && groups !== null && "keep" in groups && typeof groups.keep === "string" ? groups.keep : "";
      return `${keep}[redacted: ${name}]`;
    });
  }
  return redacted;
}
