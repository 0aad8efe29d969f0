/** Takes secrets out of a text before it is stored or shown. Must be pure and must not fail. */
export type Redact = (text: string) => string;

/** A group named `keep` stays in the text. */
type SecretPattern = { readonly name: string; readonly pattern: RegExp };

// Each is anchored on a prefix that only such a token has, so that ordinary words and hashes stay readable.
const TOKENS: readonly SecretPattern[] = [
  { name: "private key", pattern: /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/gu },
  { name: "AWS key id", pattern: /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/gu },
  { name: "GitHub token", pattern: /\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{50,})/gu },
  { name: "GitLab token", pattern: /\bglpat-[A-Za-z0-9_-]{20,}/gu },
  { name: "Slack token", pattern: /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/gu },
  { name: "npm token", pattern: /\bnpm_[A-Za-z0-9]{36,}/gu },
  { name: "model key", pattern: /\bsk-[A-Za-z0-9_-]{20,}/gu },
  { name: "Google key", pattern: /\bAIza[A-Za-z0-9_-]{35}/gu },
  { name: "Stripe key", pattern: /\b[rs]k_live_[A-Za-z0-9]{16,}/gu },
  { name: "JWT", pattern: /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/gu },
];

// Told by the word before it: source code that only speaks of a password matches as well.
const VALUES: readonly SecretPattern[] = [
  { name: "authorization", pattern: /(?<keep>\b(?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{12,}/giu },
  { name: "password in a URL", pattern: /(?<keep>\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@]{0,64}:)[^\s/@]{1,256}(?=@)/giu },
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
